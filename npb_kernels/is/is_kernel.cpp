#include "is_kernel.hpp"

#include "full_verification.hpp"
#include "integer_sort.hpp"
#include "key_sequence.hpp"
#include "sorting_problem.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fmpl::npb::is {

namespace {

constexpr std::size_t kTests = SortingProblem::kTests;

// The densest bucket of 2^buckets_log2, with some to spare: the density of the sum of four random numbers is 2/3 in the
// middle of its range of 4.
std::int64_t largest_bucket(const SortingProblem& problem)
{
    return problem.keys() / static_cast<std::int64_t>(problem.buckets()) * 3;
}

class Benchmark {
public:
    // Collective.
    explicit Benchmark(Run& run);

    void iterate(int iteration);
    // After the last iteration; the checks are the same on all ranks. Collective.
    std::vector<Check> verify();
    double largest_share() const { return largest_share_; }

private:
    void change_keys(int iteration);

    Group& world_;
    const SortingProblem problem_;
    const std::int64_t first_;  // in the whole sequence, of the rank's keys
    IntegerSort sort_;
    // Rank of test key k in iteration i at [(i - 1) * kTests + k], on the rank that has the key, 0 on the others.
    std::vector<std::int64_t> found_;
    double largest_share_ = 0;
};

Benchmark::Benchmark(Run& run)
    : world_(run.communication().world()),
      problem_(sorting_problem(run.problem_class())),
      first_(first_key(problem_.keys(), world_.rank(), world_.size())),
      sort_(run.communication(), problem_,
          static_cast<std::size_t>(first_key(problem_.keys(), world_.rank() + 1, world_.size()) - first_)),
      found_(SortingProblem::kIterations * kTests)
{
    make_keys(sort_.keys(), first_, problem_.max_key_log2);
    sort_.prepare(2 * SortingProblem::kIterations);
}

// In each iteration one key of the beginning becomes small and another one large.
void Benchmark::change_keys(int iteration)
{
    if (world_.rank() != 0) return;
    const auto step = static_cast<std::size_t>(iteration);
    sort_.keys()[step] = static_cast<Key>(step);
    sort_.keys()[step + SortingProblem::kIterations] = problem_.max_key() - static_cast<Key>(step);
}

void Benchmark::iterate(int iteration)
{
    change_keys(iteration);

    // The test keys, each from the rank that has it to all.
    std::array<std::int32_t, kTests> tests{};
    for (std::size_t k = 0; k < kTests; ++k) {
        const std::int64_t index = problem_.test_indices[k] - first_;
        if (index < 0 || index >= static_cast<std::int64_t>(sort_.keys().size())) continue;
        tests[k] = static_cast<std::int32_t>(sort_.keys()[static_cast<std::size_t>(index)]);
    }
    sort_.rank_keys(tests);

    for (std::size_t k = 0; k < kTests; ++k) {
        const auto key = static_cast<Key>(tests[k]);
        if (sort_.ranks(key)) found_[static_cast<std::size_t>(iteration - 1) * kTests + k] = sort_.rank_of(key);
    }
}

std::vector<Check> Benchmark::verify()
{
    std::vector<Check> checks;
    const auto check = [&](std::string name, std::int64_t value, std::int64_t reference) {
        checks.push_back(
            {std::move(name), static_cast<double>(value), static_cast<double>(reference), value == reference});
    };
    world_.sum(std::span(found_));
    for (int iteration = 1; iteration <= SortingProblem::kIterations; ++iteration) {
        for (std::size_t k = 0; k < kTests; ++k) {
            check(fmt::format("iteration {}: rank of test key {}", iteration, k + 1),
                found_[static_cast<std::size_t>(iteration - 1) * kTests + k], problem_.expected_rank(iteration, k));
        }
    }

    const double mean = static_cast<double>(problem_.keys()) / world_.size();
    largest_share_ = static_cast<double>(sort_.partition().most_keys()) / mean;
    std::int64_t before = digest(sort_.keys());
    world_.sum(std::span(&before, 1));
    const FullVerification sorted = verify_fully(sort_.sort(), world_);
    check("keys sorted", sorted.keys, problem_.keys());
    check("keys out of order", sorted.out_of_order, 0);
    check("digest of the keys", sorted.digest, before);
    return checks;
}

}  // namespace

Outcome is_kernel(Run& run)
{
    const SortingProblem problem = sorting_problem(run.problem_class());
    const int ranks = run.communication().ranks();
    if (static_cast<std::size_t>(ranks) > problem.buckets()) {
        throw Refusal(fmt::format("class {} has {} buckets of keys: it runs on up to as many ranks, not on {}",
            letter(run.problem_class()), problem.buckets(), ranks));
    }
    run.require_memory(IntegerSort::bytes(run.communication(), problem, largest_bucket(problem)));

    Benchmark benchmark(run);
    benchmark.iterate(1);
    run.start_clock();
    for (int iteration = 1; iteration <= SortingProblem::kIterations; ++iteration) {
        run.say(fmt::format(" iteration {:>2}", iteration));
        benchmark.iterate(iteration);
    }
    run.stop_clock();

    Outcome outcome;
    outcome.size = fmt::format("{}", problem.keys());
    outcome.iterations = SortingProblem::kIterations;
    outcome.operations = static_cast<double>(problem.keys()) * SortingProblem::kIterations;
    outcome.operation_type = "keys ranked";
    outcome.checks = benchmark.verify();
    outcome.details = {{"buckets", problem.buckets()}, {"largest_key", problem.max_key()},
        {"keys_of_a_rank_at_most_by_mean", benchmark.largest_share()}};
    return outcome;
}

}  // namespace fmpl::npb::is
