#include "fft.hpp"

#include "lanes.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace fmpl::npb::ft {

namespace {

// The inverse transform is the forward one with real and imaginary parts exchanged, before and after it.
template <bool kInverse>
inline ComplexVector exchanged(const ComplexVector& value)
{
    return kInverse ? ComplexVector{value.im, value.re} : value;
}

template <bool kInverse, bool kFactors>
inline ComplexVector load_source(const SourceRows& from, const Factors& factors, std::size_t row, std::size_t part)
{
    if (part == 0) {
        const double* const next = from.rows[row] + from.next;
        __builtin_prefetch(next, 0, 2);
        __builtin_prefetch(next + kLanes, 0, 2);
    }
    ComplexVector value = exchanged<kInverse>(load(from.rows[row] + from.offset, part));
    if constexpr (kFactors) {
        const Vector factor = *reinterpret_cast<const Vector*>(factors.by_column + part) * factors.by_row[row];
        value.re *= factor;
        value.im *= factor;
    }
    return value;
}

// The results of a butterfly: row k to to.rows[first_row + k * part_rows]. Called for all parts of a row in their
// order. Streamed lines are stored at once, when all parts are there.
template <int kRadix, bool kInverse, bool kStream>
class ResultRows {
public:
    ResultRows(const TargetRows& to, std::size_t part_rows) : to_(to), part_rows_(part_rows) {}

    void put(std::size_t first_row, std::size_t part, const ComplexVector (&v)[kRadix])
    {
        for (std::size_t k = 0; k < kRadix; ++k) {
            const ComplexVector value = exchanged<kInverse>(v[k]);
            double* const row = to_.rows[first_row + k * part_rows_] + to_.offset;
            if constexpr (!kStream) {
                store(row, part, value);
            } else if (part + kWidth < kLanes) {
                store(earlier_[k], part, value);
            } else {
                for (std::size_t before = 0; before < part; before += kWidth)
                    stream(row + before, load(earlier_[k], before).re);
                stream(row + part, value.re);
                for (std::size_t before = 0; before < part; before += kWidth)
                    stream(row + kLanes + before, load(earlier_[k], before).im);
                stream(row + kLanes + part, value.im);
            }
        }
    }

private:
    const TargetRows& to_;
    const std::size_t part_rows_;
    alignas(sizeof(Vector)) double earlier_[kRadix][kRow];
};

inline ComplexVector operator+(const ComplexVector& a, const ComplexVector& b)
{
    return {a.re + b.re, a.im + b.im};
}

inline ComplexVector operator-(const ComplexVector& a, const ComplexVector& b)
{
    return {a.re - b.re, a.im - b.im};
}

// -sqrt(-1) a
inline ComplexVector quarter_turn(const ComplexVector& a)
{
    return {a.im, -a.re};
}

// By a root given as cosine and sine.
inline ComplexVector times(const ComplexVector& a, const double* root)
{
    return {a.re * root[0] - a.im * root[1], a.re * root[1] + a.im * root[0]};
}

inline void butterfly(ComplexVector (&v)[4])
{
    const ComplexVector even_sum = v[0] + v[2], even_difference = v[0] - v[2];
    const ComplexVector odd_sum = v[1] + v[3], odd_difference = quarter_turn(v[1] - v[3]);
    v[0] = even_sum + odd_sum;
    v[1] = even_difference + odd_difference;
    v[2] = even_sum - odd_sum;
    v[3] = even_difference - odd_difference;
}

inline void butterfly(ComplexVector (&v)[8])
{
    constexpr double kHalfRoot = std::numbers::sqrt2 / 2;
    ComplexVector even[4] = {v[0], v[2], v[4], v[6]};
    ComplexVector odd[4] = {v[1], v[3], v[5], v[7]};
    butterfly(even);
    butterfly(odd);
    // odd[1] and odd[3] up to the factor sqrt(1/2), which goes into the additions.
    const ComplexVector first = {odd[1].re + odd[1].im, odd[1].im - odd[1].re};
    const ComplexVector third = {odd[3].im - odd[3].re, -(odd[3].re + odd[3].im)};
    const ComplexVector second = quarter_turn(odd[2]);
    v[0] = even[0] + odd[0];
    v[4] = even[0] - odd[0];
    v[1] = {even[1].re + kHalfRoot * first.re, even[1].im + kHalfRoot * first.im};
    v[5] = {even[1].re - kHalfRoot * first.re, even[1].im - kHalfRoot * first.im};
    v[2] = even[2] + second;
    v[6] = even[2] - second;
    v[3] = {even[3].re + kHalfRoot * third.re, even[3].im + kHalfRoot * third.im};
    v[7] = {even[3].re - kHalfRoot * third.re, even[3].im - kHalfRoot * third.im};
}

// Radices 8 as far as possible, first, where no roots are multiplied; the rest in radices 4.
std::vector<int> radices(std::size_t length)
{
    int bits = 0;
    while ((std::size_t{1} << bits) < length) ++bits;
    if (bits < 2 || (std::size_t{1} << bits) != length) {
        throw std::invalid_argument(
            "a transform of length " + std::to_string(length) + ": not a power of two from 4 on");
    }
    std::vector<int> found;
    while (bits % 3 != 0 && bits >= 2) {
        found.push_back(4);
        bits -= 2;
    }
    found.insert(found.begin(), static_cast<std::size_t>(bits / 3), 8);
    return found;
}

}  // namespace

ColumnTransform::ColumnTransform(std::size_t length) : length_(length)
{
    std::size_t part = 1;
    for (const int radix : radices(length)) {
        Stage stage{radix, part, {}};
        const std::size_t whole = part * static_cast<std::size_t>(radix);
        if (part > 1) {
            for (std::size_t i = 0; i < part; ++i) {
                for (std::size_t k = 1; k < static_cast<std::size_t>(radix); ++k) {
                    const double angle =
                        -2 * std::numbers::pi * static_cast<double>(i * k) / static_cast<double>(whole);
                    stage.roots.push_back(std::cos(angle));
                    stage.roots.push_back(std::sin(angle));
                }
            }
        }
        stages_.push_back(std::move(stage));
        part = whole;
    }

    // A stage leaves, for each residue modulo the number of transforms, the transform of the elements of that residue.
    // From the end: residue q of a later stage comes from the residues q + (its transforms) * k, one behind the other.
    std::vector<std::size_t> places{0};
    for (std::size_t s = stages_.size(); s-- > 1;) {
        const auto radix = static_cast<std::size_t>(stages_[s].radix);
        std::vector<std::size_t> earlier(places.size() * radix);
        for (std::size_t q = 0; q < places.size(); ++q) {
            for (std::size_t k = 0; k < radix; ++k) {
                earlier[q + places.size() * k] = places[q] + k * stages_[s].part;
            }
        }
        places = std::move(earlier);
    }
    places_ = std::move(places);

    work_ = WorkArray<double>(length * kRow);
    for (std::size_t row = 0; row < length; ++row) work_rows_.push_back(work_.data() + row * kRow);
}

template <int kRadix, bool kInverse, bool kFactors>
void ColumnTransform::first_stage(const SourceRows& from, const Factors& factors)
{
    const std::size_t transforms = length_ / kRadix;
    for (std::size_t j = 0; j < transforms; ++j) {
        double* const to = work_.data() + places_[j] * kRow;
        for (std::size_t part = 0; part < kLanes; part += kWidth) {
            ComplexVector v[kRadix];
            for (std::size_t k = 0; k < kRadix; ++k) {
                v[k] = load_source<kInverse, kFactors>(from, factors, j + k * transforms, part);
            }
            butterfly(v);
            for (std::size_t k = 0; k < kRadix; ++k) store(to + k * kRow, part, v[k]);
        }
    }
}

// A part of the rows `row` and, `stride` doubles apart, those behind it: all but the first times their roots.
template <int kRadix>
inline void combine(
    const double* row, std::size_t stride, const double* root, std::size_t part, ComplexVector (&v)[kRadix])
{
    v[0] = load(row, part);
    for (std::size_t k = 1; k < kRadix; ++k) v[k] = times(load(row + k * stride, part), root + 2 * (k - 1));
    butterfly(v);
}

template <int kRadix>
void ColumnTransform::middle_stage(const Stage& stage)
{
    const std::size_t stride = stage.part * kRow;
    double* const end = work_.data() + length_ * kRow;
    for (double* block = work_.data(); block != end; block += kRadix * stride) {
        const double* root = stage.roots.data();
        for (double* row = block; row != block + stride; row += kRow, root += 2 * (kRadix - 1)) {
            for (std::size_t part = 0; part < kLanes; part += kWidth) {
                ComplexVector v[kRadix];
                combine(row, stride, root, part, v);
                for (std::size_t k = 0; k < kRadix; ++k) store(row + k * stride, part, v[k]);
            }
        }
    }
}

template <int kRadix, bool kInverse, bool kStream>
void ColumnTransform::last_stage(const Stage& stage, const TargetRows& to)
{
    ResultRows<kRadix, kInverse, kStream> results(to, stage.part);
    const double* row = work_.data();
    const double* root = stage.roots.data();
    for (std::size_t i = 0; i < stage.part; ++i, row += kRow, root += 2 * (kRadix - 1)) {
        for (std::size_t part = 0; part < kLanes; part += kWidth) {
            ComplexVector v[kRadix];
            combine(row, stage.part * kRow, root, part, v);
            results.put(i, part, v);
        }
    }
}

template <int kRadix, bool kInverse, bool kFactors, bool kStream>
void ColumnTransform::only_stage(const SourceRows& from, const TargetRows& to, const Factors& factors)
{
    ResultRows<kRadix, kInverse, kStream> results(to, 1);
    for (std::size_t part = 0; part < kLanes; part += kWidth) {
        ComplexVector v[kRadix];
        for (std::size_t k = 0; k < kRadix; ++k) v[k] = load_source<kInverse, kFactors>(from, factors, k, part);
        butterfly(v);
        results.put(0, part, v);
    }
}

template <bool kInverse, bool kFactors, bool kStream>
void ColumnTransform::run_stages(const SourceRows& from, const TargetRows& to, const Factors& factors)
{
    const auto by_radix = [](int radix, auto&& eight, auto&& four) { radix == 8 ? eight() : four(); };
    const int first_radix = stages_.front().radix;
    if (stages_.size() == 1) {
        by_radix(
            first_radix, [&] { only_stage<8, kInverse, kFactors, kStream>(from, to, factors); },
            [&] { only_stage<4, kInverse, kFactors, kStream>(from, to, factors); });
        return;
    }
    by_radix(
        first_radix, [&] { first_stage<8, kInverse, kFactors>(from, factors); },
        [&] { first_stage<4, kInverse, kFactors>(from, factors); });
    for (std::size_t s = 1; s + 1 < stages_.size(); ++s) {
        const Stage& stage = stages_[s];
        by_radix(
            stage.radix, [&] { middle_stage<8>(stage); }, [&] { middle_stage<4>(stage); });
    }
    const Stage& last = stages_.back();
    by_radix(
        last.radix, [&] { last_stage<8, kInverse, kStream>(last, to); },
        [&] { last_stage<4, kInverse, kStream>(last, to); });
}

void ColumnTransform::run(Direction direction, const SourceRows& from, const TargetRows& to)
{
    if (direction == Direction::forward) {
        to.streamed ? run_stages<false, false, true>(from, to, {}) : run_stages<false, false, false>(from, to, {});
    } else {
        to.streamed ? run_stages<true, false, true>(from, to, {}) : run_stages<true, false, false>(from, to, {});
    }
}

void ColumnTransform::run(Direction direction, const SourceRows& from, const TargetRows& to, const Factors& factors)
{
    if (direction == Direction::forward) {
        to.streamed ? run_stages<false, true, true>(from, to, factors)
                    : run_stages<false, true, false>(from, to, factors);
    } else {
        to.streamed ? run_stages<true, true, true>(from, to, factors)
                    : run_stages<true, true, false>(from, to, factors);
    }
}

void ColumnTransform::run(Direction direction, const SourceRows& from)
{
    run(direction, from, {work_rows_.data(), 0, false});
}

template <bool kStream>
void ColumnTransform::transpose_squares(double* const* squares, std::ptrdiff_t offset) const
{
    const auto put = [](double* to, const Vector& value) {
        if constexpr (kStream) {
            stream(to, value);
        } else {
            *reinterpret_cast<Vector*>(to) = value;
        }
    };
    const double* rows = work_.data();
    for (std::size_t square = 0; square < length_ / kLanes; ++square, rows += kLanes * kRow) {
        double* const to = squares[square] + offset;
        for (std::size_t half = 0; half < kRow; half += kLanes) {  // the real parts, the imaginary parts
            for (std::size_t column = 0; column < kLanes; column += kWidth) {
                Vector out[kParts][kWidth];
                for (std::size_t part = 0; part < kParts; ++part) {
                    Vector in[kWidth];
                    for (std::size_t i = 0; i < kWidth; ++i) {
                        in[i] = *reinterpret_cast<const Vector*>(rows + (part * kWidth + i) * kRow + half + column);
                    }
                    transpose(in, out[part]);
                }
                for (std::size_t i = 0; i < kWidth; ++i) {
                    double* const line = to + (column + i) * kRow + half;
                    for (std::size_t part = 0; part < kParts; ++part) put(line + part * kWidth, out[part][i]);
                }
            }
        }
    }
}

void ColumnTransform::transpose_work(double* const* squares, std::ptrdiff_t offset, bool streamed) const
{
    streamed ? transpose_squares<true>(squares, offset) : transpose_squares<false>(squares, offset);
}

void finish_streamed_rows()
{
    finish_streams();
}

}  // namespace fmpl::npb::ft
