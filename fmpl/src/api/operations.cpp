// The built-in reduction functions of fmpl.h.
#include <fmpl.h>
#include <fmpl/elementwise.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>

namespace {

// Wrapping, as C's unsigned arithmetic does: an overflow in a sum over ranks must not be undefined behaviour.
template <class T>
T add(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
        return a + b;
    }
}
template <class T>
T multiply(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
        return a * b;
    }
}
template <class T>
T least(T a, T b)
{
    return std::min(a, b);
}
template <class T>
T greatest(T a, T b)
{
    return std::max(a, b);
}

template <class T, T (*combine)(T, T)>
void combine_two(T& out, const T& a, const T& b)
{
    out = combine(a, b);
}

template <class T, T (*combine)(T, T)>
constexpr fmpl_op operation(const char* name)
{
    return fmpl::Elementwise<T, combine_two<T, combine>>::operation(name);
}

using complex = std::complex<float>;
using double_complex = std::complex<double>;

}  // namespace

extern "C" {

#define FMPL_DEFINE_ORDERED(name, T)                                                        \
    extern const fmpl_op fmpl_sum_##name = operation<T, add<T>>("sum of " #name);           \
    extern const fmpl_op fmpl_prod_##name = operation<T, multiply<T>>("product of " #name); \
    extern const fmpl_op fmpl_min_##name = operation<T, least<T>>("minimum of " #name);     \
    extern const fmpl_op fmpl_max_##name = operation<T, greatest<T>>("maximum of " #name);
FMPL_DEFINE_ORDERED(int32, std::int32_t)
FMPL_DEFINE_ORDERED(int64, std::int64_t)
FMPL_DEFINE_ORDERED(float, float)
FMPL_DEFINE_ORDERED(double, double)
#undef FMPL_DEFINE_ORDERED
extern const fmpl_op fmpl_sum_complex = operation<complex, add<complex>>("sum of complex");
extern const fmpl_op fmpl_prod_complex = operation<complex, multiply<complex>>("product of complex");
extern const fmpl_op fmpl_sum_double_complex = operation<double_complex, add<double_complex>>("sum of double_complex");
extern const fmpl_op fmpl_prod_double_complex =
    operation<double_complex, multiply<double_complex>>("product of double_complex");

}  // extern "C"
