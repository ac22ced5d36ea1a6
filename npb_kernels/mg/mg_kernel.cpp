#include "mg_kernel.hpp"

#include "multigrid.hpp"

#include <fmt/format.h>

#include <cmath>

namespace fmpl::npb::mg {

namespace {

constexpr double kTolerance = 1e-8;           // relative, on the norm
constexpr double kOperationsOfAPoint = 58.0;  // of a cycle, by the benchmark's count

struct Problem {
    int finest;  // the logarithm of the points a dimension
    int cycles;
    const Coefficients& smoother;
    double norm;
};

Problem problem_of(ProblemClass problem_class)
{
    const bool small = problem_class <= ProblemClass::A;
    return {by_class(problem_class, 5, 7, 8, 8, 9, 10), by_class(problem_class, 4, 4, 4, 20, 20, 50),
        small ? kSmootherA : kSmootherB,
        by_class(problem_class, 0.5307707005734e-04, 0.6467329375339e-05, 0.2433365309069e-05, 0.1800564401355e-05,
            0.5706732285740e-06, 0.1583275060440e-09)};
}

Triple layout(const Run& run, int ranks, int finest, const Triple& wanted)
{
    const int size = 1 << finest;
    if (wanted[0] != 0) {
        const auto [x, y, z] = wanted;
        if (x * y * z != ranks || !Domain::allows(wanted, finest)) {
            throw Refusal(
                fmt::format("{} rank{} on a process grid of {} x {} x {}, class {}: the product must be the number of "
                            "ranks, and each a power of two, at most {}",
                    ranks, ranks == 1 ? "" : "s", x, y, z, letter(run.problem_class()), size / Domain::kFewestLayers));
        }
        return wanted;
    }
    const Triple processes = Domain::choose_processes(ranks, finest);
    if (processes[0] == 0) {
        throw Refusal(fmt::format("class {} does not run on {} ranks: their number must be a power of two, at most {}",
            letter(run.problem_class()), ranks, Domain::most_ranks(finest)));
    }
    return processes;
}

}  // namespace

Outcome run_mg(Run& run, Triple wanted)
{
    Communication& communication = run.communication();
    const Problem problem = problem_of(run.problem_class());
    const int size = 1 << problem.finest;
    const Triple processes = layout(run, communication.ranks(), problem.finest, wanted);
    const Domain domain(communication.rank(), processes, problem.finest);
    run.require_memory(Multigrid::bytes(domain));
    Multigrid multigrid(communication, domain, problem.smoother);
    run.say(fmt::format(" {} x {} x {} points, {} cycles, process grid {} x {} x {}", size, size, size, problem.cycles,
        processes[0], processes[1], processes[2]));

    // One cycle untimed, then from the start.
    multigrid.reset();
    multigrid.start();
    multigrid.cycle(true);
    multigrid.reset();

    run.start_clock();
    const double initial = multigrid.start();
    double norm = 0;
    for (int cycle = 1; cycle <= problem.cycles; ++cycle) {
        if (cycle == 1 || cycle == problem.cycles || cycle % 5 == 0) run.say(fmt::format("  cycle {:4}", cycle));
        norm = multigrid.cycle(cycle == problem.cycles);
    }
    run.stop_clock();

    run.say(fmt::format(" L2 norm of the residual: {:.13e} at first, {:.13e} at last", initial, norm));
    Outcome outcome;
    outcome.size = fmt::format("{} x {} x {}", size, size, size);
    outcome.iterations = problem.cycles;
    outcome.operations = kOperationsOfAPoint * problem.cycles * std::pow(static_cast<double>(size), kDimensions);
    outcome.operation_type = "floating point";
    outcome.checks = {
        {"L2 norm of the residual", norm, problem.norm, std::abs(norm - problem.norm) <= kTolerance * problem.norm}};
    outcome.details = {
        {"process_grid", processes}, {"gathered_level", domain.gathered_level()}, {"initial_norm", initial}};
    return outcome;
}

}  // namespace fmpl::npb::mg
