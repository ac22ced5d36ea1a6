#include "ft_kernel.hpp"

#include "checksum.hpp"
#include "distributed_transform.hpp"
#include "evolution.hpp"
#include "initial_conditions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <vector>

namespace fmpl::npb::ft {

namespace {

// Its memory; the rest is made anew in every pass, since the benchmark times that.
class Solver {
public:
    Solver(Communication& communication, const Distribution& distribution)
        : communication_(communication),
          distribution_(distribution),
          transform_(communication, distribution),
          spectrum_(distribution.points() * 2),
          field_(distribution.points() * 2)
    {
    }

    static std::size_t bytes(Communication& communication, const Distribution& distribution)
    {
        return DistributedTransform::bytes(communication, distribution) +
               2 * distribution.points() * sizeof(std::complex<double>);
    }

    // Sets up, transforms the initial conditions, and computes the field at times 1 to `iterations`;
    // after_iteration(time, checksum of the field).
    template <class AfterIteration>
    void solve(int iterations, const AfterIteration& after_iteration)
    {
        const InitialConditions initial(distribution_.grid());
        const Checksum checksum(distribution_);
        Evolution evolution(distribution_);
        transform_.prepare();
        transform_.forward(
            [&](std::size_t y, std::size_t z, double* rows) { initial.fill(y, z, rows); }, spectrum_.data());
        for (int time = 1; time <= iterations; ++time) {
            evolution.set_time(time);
            transform_.inverse(spectrum_.data(), evolution, field_.data());
            after_iteration(time, checksum(field_.data(), communication_.world()));
        }
    }

private:
    Communication& communication_;
    Distribution distribution_;
    DistributedTransform transform_;
    WorkArray<double> spectrum_;
    WorkArray<double> field_;
};

Layout layout_of(const std::string& name)
{
    return name == "slab" ? Layout::slab : name == "pencil" ? Layout::pencil : Layout::automatic;
}

// NPB 3.4.
double operations(double points, int iterations)
{
    return points * (14.8157 + 7.19641 * std::log(points) + (5.23518 + 7.21113 * std::log(points)) * iterations);
}

}  // namespace

Outcome run_kernel(Run& run, const Options& options)
{
    Communication& communication = run.communication();
    const Grid grid = grid_of(run.problem_class());
    const Distribution distribution(grid, communication.ranks(), layout_of(options.layout), communication.rank());
    const char* const layout = distribution.slab() ? "slab" : "pencil";
    run.require_memory(Solver::bytes(communication, distribution));

    Outcome outcome;
    outcome.size = fmt::format("{} x {} x {}", grid.nx, grid.ny, grid.nz);
    outcome.iterations = iterations_of(run.problem_class());
    outcome.operations = operations(static_cast<double>(grid.points()), outcome.iterations);
    outcome.operation_type = "floating point";
    outcome.details = {{"layout", layout}, {"process_grid", {distribution.xy_ranks(), distribution.yz_ranks()}}};
    run.say(fmt::format(" Size {}, {} layout, process grid {} x {}\n", outcome.size, layout, distribution.xy_ranks(),
        distribution.yz_ranks()));

    Solver solver(communication, distribution);
    solver.solve(1, [](int, std::complex<double>) {});  // touches all memory

    std::vector<std::complex<double>> checksums;
    run.start_clock();
    solver.solve(outcome.iterations, [&](int time, std::complex<double> checksum) {
        checksums.push_back(checksum);
        run.say(fmt::format(" T = {:4}     Checksum = {:21.12e} {:21.12e}", time, checksum.real(), checksum.imag()));
    });
    run.stop_clock();

    const auto references = reference_checksums(run.problem_class());
    for (std::size_t i = 0; i < checksums.size(); ++i) {
        const std::complex<double> value = checksums[i], reference = references[i];
        const bool passed = agrees(value, reference);
        outcome.checks.push_back({fmt::format("checksum {} real", i + 1), value.real(), reference.real(), passed});
        outcome.checks.push_back({fmt::format("checksum {} imaginary", i + 1), value.imag(), reference.imag(), passed});
    }
    return outcome;
}

}  // namespace fmpl::npb::ft
