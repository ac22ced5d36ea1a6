#include "options.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

std::optional<int> read_options(Options& options, int argc, char** argv, bool prints)
{
    CLI::App app("Solves A X = B with ScaLAPACK over BLACS-FMPL.", "solve");
    app.add_option("matrix", options.matrix, "Matrix Market file of A")->required();
    app.add_option("--rhs", options.rhs, "Matrix Market file of B, one column a system (default: A times ones)");
    app.add_option("--output", options.output, "Matrix Market file to write X to");
    app.add_option("--solver", options.solver, "Default: cholesky, then lu, if the file says symmetric; else lu")
        ->check(CLI::IsMember({"auto", "cholesky", "lu"}))
        ->capture_default_str();
    app.add_option("--nb", options.block, "Rows and columns of a block")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    app.add_flag("--verify", options.verify, "Solve with Eigen too, and compare")->disable_flag_override();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream ignored;
        const int status = prints ? app.exit(error) : app.exit(error, ignored, ignored);
        return status == 0 ? 0 : 2;
    }
    return std::nullopt;
}
