// One-way time of a matrix by ping-pong: contiguous, a block of a larger matrix, or a triangle of it.
#include "benchmarks.hpp"
#include "matrix_message.hpp"

#include "../bench/ping_pong.hpp"
#include "../bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace fmpl::bench {
namespace {

constexpr int kMostOrder = 1'000'000;

Shape read_shape(const std::string& text)
{
    for (const Shape shape : {Shape::contiguous, Shape::strided, Shape::upper, Shape::lower}) {
        if (text == shape_name(shape)) return shape;
    }
    refuse(fmt::format("--shape '{}': give contiguous, strided, upper or lower", text));
}

MatrixMessage read_matrix(Shape shape, const std::string& text, const std::string& lda)
{
    const std::size_t x = text.find('x');
    if (x == std::string::npos) refuse(fmt::format("--matrix '{}': give rows x columns, such as 40x40", text));
    MatrixMessage matrix{};
    matrix.shape = shape;
    matrix.m = read_count("--matrix", text.substr(0, x), 1, kMostOrder);
    matrix.n = read_count("--matrix", text.substr(x + 1), 1, kMostOrder);
    matrix.lda = matrix.m;
    if (shape == Shape::contiguous) return matrix;
    matrix.lda = lda.empty() ? kDefaultLda : read_count("--lda", lda, 1, kMostOrder);
    if (matrix.lda < matrix.m) {
        refuse(fmt::format("--lda: a column of {} rows does not fit a leading dimension of {}", matrix.m, matrix.lda));
    }
    if (shape != Shape::strided && matrix.m != matrix.n) {
        refuse(fmt::format("--matrix '{}': the matrix of a triangle is square", text));
    }
    return matrix;
}

std::vector<MatrixMessage> read_matrices(const Options& options)
{
    const Shape shape = read_shape(options.own.at("--shape"));
    const std::string& list = options.own.at("--matrix");
    const std::string& lda = options.own.at("--lda");
    std::vector<MatrixMessage> matrices;
    if (shape == Shape::contiguous && list.empty()) {
        for (const std::size_t bytes : options.sizes) {
            const int m = static_cast<int>(bytes / sizeof(double));
            matrices.push_back({shape, m, 1, std::max(m, 1)});
        }
    } else {
        for (const std::string& item : items(list.empty() ? kDefaultMatrix : list)) {
            matrices.push_back(read_matrix(shape, item, lda));
        }
    }
    return matrices;
}

}  // namespace

void settle_p2p(Options& options)
{
    const bool contiguous = read_shape(options.own.at("--shape")) == Shape::contiguous;
    const bool by_matrix = !contiguous || !options.own.at("--matrix").empty();
    if (by_matrix && options.sizes_given) {
        refuse("--sizes: sizes in bytes are those of contiguous matrices of one column; give either them or --matrix");
    }
    if (contiguous && !options.own.at("--lda").empty()) {
        refuse("--lda: a contiguous matrix has no gap between its columns; give --shape strided for one that has");
    }
    if (by_matrix) options.sizes.clear();
    if (std::count(options.sizes.begin(), options.sizes.end(), std::size_t{0}) > 0) {
        refuse("--sizes: a matrix has at least one element, 8 bytes");
    }
    read_matrices(options);
}

void run_p2p(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    report.line(fmt::format("one-way time between {}, {} matrices", pairing.words(), options.own.at("--shape")));
    std::vector<std::string> columns = {"m", "n", "lda", "bytes", "reps"};
    columns.insert(columns.end(), time_columns().begin(), time_columns().end());
    columns.push_back("median GB/s");
    report.columns(columns);

    for (const MatrixMessage& matrix : read_matrices(options)) {
        const BufferPool pool(matrix.buffer_bytes(), 0);
        with_message_memory(options.memory, pool.total_bytes(), [&](std::byte* memory) {
            const PingPong ping_pong(pairing, matrix, pool, memory);
            const Batch activities[] = {std::cref(ping_pong)};
            auto [reps, seconds] = sample(
                options.sampling(latency_reps(matrix.bytes())), pairing.group(), pairing.takes_part(), activities);
            all_must_be_right(ping_pong.verify(), "p2p: a matrix came back wrong, or what is around it was written");

            halve(seconds[0]);
            const auto moved = static_cast<double>(matrix.bytes()) * pairing.pairs();
            const double median = summarize(seconds[0]).median;
            std::vector<std::string> cells;
            for (const int number : {matrix.m, matrix.n, matrix.lda}) cells.push_back(fmt::format("{}", number));
            cells.push_back(fmt::format("{}", matrix.bytes()));
            cells.push_back(fmt::format("{}", reps));
            for (std::string& cell : time_cells(seconds[0])) cells.push_back(std::move(cell));
            cells.push_back(gigabytes_per_second(moved, median));
            report.row(cells, {{"shape", shape_name(matrix.shape)}, {"m", matrix.m}, {"n", matrix.n},
                                  {"lda", matrix.lda}, {"bytes", matrix.bytes()}, {"reps", reps},
                                  {"seconds", json_of(seconds[0])}, {"bytes_per_second", moved / median}});
        });
    }
}

}  // namespace fmpl::bench
