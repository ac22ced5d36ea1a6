// The five element types of the BLACS, and the absolute value of each that gamx2d and gamn2d compare. For the complex
// types that is |re| + |im|, as in the reference BLACS.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

namespace fmpl::blacs {

template <class T>
struct Element;

template <>
struct Element<std::int32_t> {
    // In 64 bits: the smallest integer has no absolute value in 32.
    static std::int64_t magnitude(std::int32_t x) { return x < 0 ? -std::int64_t{x} : std::int64_t{x}; }
};

template <>
struct Element<float> {
    static float magnitude(float x) { return std::abs(x); }
};

template <>
struct Element<double> {
    static double magnitude(double x) { return std::abs(x); }
};

template <>
struct Element<std::complex<float>> {
    static float magnitude(std::complex<float> x) { return std::abs(x.real()) + std::abs(x.imag()); }
};

template <>
struct Element<std::complex<double>> {
    static double magnitude(std::complex<double> x) { return std::abs(x.real()) + std::abs(x.imag()); }
};

}  // namespace fmpl::blacs
