#include "program_options.hpp"

#include "../../command_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace fmpl::pdgemm {

namespace {

using command_line::number;

constexpr int bad_options = 2;

[[noreturn]] void refuse(const std::string& words)
{
    throw OptionsEnd(bad_options, "pdgemm: " + words + "\nRun with --help for the options.\n");
}

// "3x4" or "3,4", as the separator says.
std::optional<Pair> pair(std::string_view text, char separator)
{
    const std::size_t place = text.find(separator);
    if (place == std::string_view::npos) return std::nullopt;
    const auto first = number<int>(text.substr(0, place));
    const auto second = number<int>(text.substr(place + 1));
    if (!first || !second) return std::nullopt;
    return Pair{*first, *second};
}

Pair read_block(const std::string& option, const std::string& text)
{
    std::optional<Pair> block = pair(text, 'x');
    if (const auto square = number<int>(text)) block = Pair{*square, *square};
    if (!block || block->rows < 1 || block->columns < 1) {
        refuse(fmt::format(
            "{} '{}': give a block size of at least 1, such as 40, or rows x columns, such as 40x20", option, text));
    }
    return *block;
}

Pair read_corner(const std::string& option, const std::string& text)
{
    const std::optional<Pair> corner = pair(text, ',');
    if (!corner || corner->rows < 0 || corner->columns < 0) {
        refuse(fmt::format("{} '{}': give two counts of at least 0, rows then columns, such as 3,5", option, text));
    }
    return *corner;
}

std::complex<double> read_scalar(const std::string& option, const std::string& text, char type)
{
    const std::size_t comma = text.find(',');
    const auto real = number<double>(std::string_view(text).substr(0, comma));
    const auto imaginary = comma == std::string::npos ? std::optional<double>(0.0)
                                                      : number<double>(std::string_view(text).substr(comma + 1));
    if (!real || !imaginary || !std::isfinite(*real) || !std::isfinite(*imaginary)) {
        refuse(fmt::format("{} '{}': give a number, or real,imaginary for the complex types", option, text));
    }
    const bool complex_type = type == 'c' || type == 'z';
    if (!complex_type && comma != std::string::npos) {
        refuse(fmt::format("{} '{}': --type {} has no imaginary part; use --type c or z", option, text, type));
    }
    return {*real, *imaginary};
}

Pair nearly_square_grid(int processes)
{
    int rows = static_cast<int>(std::sqrt(static_cast<double>(processes)));
    while (processes % rows != 0) --rows;
    return {rows, processes / rows};
}

char read_letter(const std::string& option, const std::string& text, std::string_view allowed)
{
    if (text.size() != 1 || allowed.find(text[0]) == std::string_view::npos) {
        refuse(fmt::format("{} '{}': give one letter of {}", option, text, allowed));
    }
    return text[0];
}

void check_matrix(char name, const MatrixOptions& matrix, const Pair& size, const Pair& grid)
{
    const auto whole = [](int offset, int extent) { return 2 * static_cast<std::int64_t>(offset) + extent; };
    constexpr int most = std::numeric_limits<int>::max();
    if (whole(matrix.offset.rows, size.rows) > most || whole(matrix.offset.columns, size.columns) > most) {
        refuse(fmt::format("matrix {} with its offset has more than {} rows or columns", name, most));
    }
    if (matrix.source.rows >= grid.rows || matrix.source.columns >= grid.columns) {
        refuse(fmt::format("matrix {} begins at process {},{}, which the {}x{} grid does not have", name,
            matrix.source.rows, matrix.source.columns, grid.rows, grid.columns));
    }
}

}  // namespace

ProgramOptions read_options(int argc, const char* const* argv, int processes)
{
    ProgramOptions options;
    std::string block = "40";
    std::string block_a, block_b, block_c;
    std::string offset_a = "0,0", offset_b = "0,0", offset_c = "0,0";
    std::string source_a = "0,0", source_b = "0,0", source_c = "0,0";
    std::string grid, transa = "N", transb = "N", type = "d", alpha = "1", beta = "0";

    CLI::App app("Distributed matrix product C = alpha op(A) op(B) + beta C by PDGEMM, timed and verified.");
    app.add_option("--m", options.m, "Rows of C and op(A)")->capture_default_str();
    app.add_option("--n", options.n, "Columns of C and op(B)")->capture_default_str();
    app.add_option("--k", options.k, "Columns of op(A), rows of op(B)")->capture_default_str();
    app.add_option("--nb", block, "Block size of all matrices, N or ROWSxCOLUMNS")->capture_default_str();
    app.add_option("--nb-a", block_a, "Block size of A (default: --nb)");
    app.add_option("--nb-b", block_b, "Block size of B (default: --nb)");
    app.add_option("--nb-c", block_c, "Block size of C (default: --nb)");
    app.add_option("--grid", grid, "Process grid, ROWSxCOLUMNS (default: all ranks, nearly square)");
    app.add_option("--transa", transa, "op(A): N, T or C")->capture_default_str();
    app.add_option("--transb", transb, "op(B): N, T or C")->capture_default_str();
    app.add_option("--type", type, "s, d, c or z: float, double and their complex types")->capture_default_str();
    app.add_option("--alpha", alpha, "Number, or REAL,IMAGINARY")->capture_default_str();
    app.add_option("--beta", beta, "Number, or REAL,IMAGINARY; with 0, C begins as NaN")->capture_default_str();
    app.add_option(
           "--offset-a", offset_a, "ROWS,COLUMNS of A before the part that is used, counted from 0; as many follow it")
        ->capture_default_str();
    app.add_option("--offset-b", offset_b, "The same for B")->capture_default_str();
    app.add_option("--offset-c", offset_c, "The same for C")->capture_default_str();
    app.add_option("--source-a", source_a, "Process ROW,COLUMN that has the first block of A")->capture_default_str();
    app.add_option("--source-b", source_b, "The same for B")->capture_default_str();
    app.add_option("--source-c", source_c, "The same for C")->capture_default_str();
    app.add_option("--lld-pad", options.leading_dimension_pad, "Unused rows below each local array")
        ->capture_default_str();
    app.add_option("--algorithm", options.algorithm,
           "auto, summa (panels are broadcast) or direct (each process reads the others' parts where they lie); "
           "default: "
           "FMPL_PDGEMM_ALGORITHM, else auto")
        ->check(CLI::IsMember({"auto", "summa", "direct"}));
    app.add_option("--reps", options.reps, "Timed repetitions, after one that is not timed")->capture_default_str();
    app.add_flag("--verify", options.verify, "Compare with Eigen's product of the whole matrices on process (0,0)");
    app.add_option("--seed", options.seed, "Seed of the matrices")->capture_default_str();
    app.add_option("--json", options.json_file, "Also write the results to this file");

    command_line::parse(app, argc, argv, [](const CLI::ParseError& error) { refuse(error.what()); });

    const auto at_least = [](const char* option, int value, int least) {
        if (value < least) refuse(fmt::format("{} {}: must be at least {}", option, value, least));
    };
    at_least("--m", options.m, 0);
    at_least("--n", options.n, 0);
    at_least("--k", options.k, 0);
    at_least("--reps", options.reps, 1);
    at_least("--lld-pad", options.leading_dimension_pad, 0);
    options.transa = read_letter("--transa", transa, "NTCntc");
    options.transb = read_letter("--transb", transb, "NTCntc");
    options.type = read_letter("--type", type, "sdcz");
    options.alpha = read_scalar("--alpha", alpha, options.type);
    options.beta = read_scalar("--beta", beta, options.type);

    if (grid.empty()) {
        options.grid = nearly_square_grid(processes);
    } else {
        const std::optional<Pair> shape = pair(grid, 'x');
        if (!shape || shape->rows < 1 || shape->columns < 1) {
            refuse(fmt::format("--grid '{}': give rows x columns of at least 1, such as 2x2", grid));
        }
        if (static_cast<std::int64_t>(shape->rows) * shape->columns > processes) {
            refuse(fmt::format("--grid {}: needs {} ranks, but the job has {}; start more or choose a smaller grid",
                grid, static_cast<std::int64_t>(shape->rows) * shape->columns, processes));
        }
        options.grid = *shape;
    }

    const auto matrix = [&](const std::string& suffix, const std::string& own_block, const std::string& offset,
                            const std::string& source) {
        return MatrixOptions{own_block.empty() ? read_block("--nb", block) : read_block("--nb-" + suffix, own_block),
            read_corner("--offset-" + suffix, offset), read_corner("--source-" + suffix, source)};
    };
    options.a = matrix("a", block_a, offset_a, source_a);
    options.b = matrix("b", block_b, offset_b, source_b);
    options.c = matrix("c", block_c, offset_c, source_c);
    const auto stored_size = [](char operation, int rows, int columns) {
        return operation == 'N' || operation == 'n' ? Pair{rows, columns} : Pair{columns, rows};
    };
    check_matrix('A', options.a, stored_size(options.transa, options.m, options.k), options.grid);
    check_matrix('B', options.b, stored_size(options.transb, options.k, options.n), options.grid);
    check_matrix('C', options.c, {options.m, options.n}, options.grid);
    return options;
}

}  // namespace fmpl::pdgemm
