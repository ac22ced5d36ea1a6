// Discrete Fourier transforms of eight columns at a time, and their transposition.
//
// A column lies in `length` rows of 16 doubles: the real parts of element i of eight columns, then the imaginary parts.
// The rows of source and target lie wherever their tables say, so that a transform reads what has arrived from several
// ranks, and delivers to several ranks, without a pass of its own.
#pragma once

#include "../common/work_array.hpp"

#include <cstddef>
#include <vector>

namespace fmpl::npb::ft {

enum class Direction { forward, inverse };

// Row i lies at rows[i] + offset, aligned to 64 bytes. What lies at rows[i] + next is fetched into the cache meanwhile.
struct SourceRows {
    const double* const* rows;
    std::ptrdiff_t offset;
    std::ptrdiff_t next;
};

// Streamed: past the caches; finish_streams() makes it visible to others.
struct TargetRows {
    double* const* rows;
    std::ptrdiff_t offset;
    bool streamed;
};

// Element i of column j is multiplied by by_row[i] * by_column[j] before the transform.
struct Factors {
    const double* by_row;
    const double* by_column;  // 8, aligned to 64 bytes
};

// Decimation in time with radices 8 and 4, in place in `length` rows of work memory: the first stage reads the source
// in its order and writes the work rows in digit-reversed order, the last one writes the target. One object serves one
// thread.
class ColumnTransform {
public:
    // length: a power of two, at least 4; std::invalid_argument otherwise. Computes the roots of unity.
    explicit ColumnTransform(std::size_t length);

    std::size_t length() const { return length_; }

    // X[q] = sum over i of exp(-+ 2 pi sqrt(-1) i q / length) x[i]: minus for forward. Not scaled. The rows of source
    // and target are distinct.
    void run(Direction direction, const SourceRows& from, const TargetRows& to);
    void run(Direction direction, const SourceRows& from, const TargetRows& to, const Factors& factors);

    // The same with the result in work(), valid until the next call.
    void run(Direction direction, const SourceRows& from);
    const double* work() const { return work_.data(); }

    // Transposes squares of eight rows of work(): row i of square s, where s * 8 <= row < s * 8 + 8, holds column i of
    // what was there, and lies at squares[s] + offset + 16 * i.
    void transpose_work(double* const* squares, std::ptrdiff_t offset, bool streamed) const;

private:
    struct Stage {
        int radix;
        std::size_t part;           // length of the transforms that it combines
        std::vector<double> roots;  // [element of the part][1 .. radix - 1]{cosine, sine}; of the first stage none
    };

    template <bool kInverse, bool kFactors, bool kStream>
    void run_stages(const SourceRows& from, const TargetRows& to, const Factors& factors);
    template <int kRadix, bool kInverse, bool kFactors>
    void first_stage(const SourceRows& from, const Factors& factors);
    template <int kRadix>
    void middle_stage(const Stage& stage);
    template <int kRadix, bool kInverse, bool kStream>
    void last_stage(const Stage& stage, const TargetRows& to);
    template <int kRadix, bool kInverse, bool kFactors, bool kStream>
    void only_stage(const SourceRows& from, const TargetRows& to, const Factors& factors);
    template <bool kStream>
    void transpose_squares(double* const* squares, std::ptrdiff_t offset) const;

    std::size_t length_;
    std::vector<Stage> stages_;
    std::vector<std::size_t> places_;  // of the first stage's results: work row of the first one, for each transform
    WorkArray<double> work_;
    std::vector<double*> work_rows_;
};

// Makes what was streamed visible to whoever has waited for this rank afterwards.
void finish_streamed_rows();

}  // namespace fmpl::npb::ft
