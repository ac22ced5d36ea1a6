// The five element types of the BLACS, and what the combine operations must know of each: FMPL's sum, and the absolute
// value that gamx2d and gamn2d compare. For the complex types that is |re| + |im|, as in the reference BLACS.
#pragma once

#include <fmpl.h>

#include <cmath>
#include <complex>
#include <cstdint>

namespace fmpl::blacs {

template <class T>
struct Element;

template <>
struct Element<std::int32_t> {
    static fmpl_op_t sum() { return FMPL_SUM_INT32; }
    // In 64 bits: the smallest integer has no absolute value in 32.
    static std::int64_t magnitude(std::int32_t x) { return x < 0 ? -std::int64_t{x} : std::int64_t{x}; }
};

template <>
struct Element<float> {
    static fmpl_op_t sum() { return FMPL_SUM_FLOAT; }
    static float magnitude(float x) { return std::abs(x); }
};

template <>
struct Element<double> {
    static fmpl_op_t sum() { return FMPL_SUM_DOUBLE; }
    static double magnitude(double x) { return std::abs(x); }
};

template <>
struct Element<std::complex<float>> {
    static fmpl_op_t sum() { return FMPL_SUM_COMPLEX; }
    static float magnitude(std::complex<float> x) { return std::abs(x.real()) + std::abs(x.imag()); }
};

template <>
struct Element<std::complex<double>> {
    static fmpl_op_t sum() { return FMPL_SUM_DOUBLE_COMPLEX; }
    static double magnitude(std::complex<double> x) { return std::abs(x.real()) + std::abs(x.imag()); }
};

}  // namespace fmpl::blacs
