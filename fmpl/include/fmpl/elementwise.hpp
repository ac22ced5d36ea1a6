// A reduction operation made of a function on two elements: loops that become vector instructions, of AVX2 where the
// processor has them (docs/decisions/0055-two-operands-in-one-pass.md). For FMPL and the layers above.
#pragma once

#include <fmpl.h>

#include <cstddef>
#include <type_traits>

namespace fmpl {

// Whether elements of a type are worth another loop, with longer vectors: numbers, and complex ones (T::value_type).
template <class T>
inline constexpr bool kGoesInVectors = std::is_arithmetic_v<T> && sizeof(T) <= 8;
template <class T>
requires requires
{
    typename T::value_type;
}
inline constexpr bool kGoesInVectors<T> = kGoesInVectors<typename T::value_type>;

template <class T, void (*combine_two)(T& out, const T& a, const T& b)>
class Elementwise {
public:
    // out[i] = a[i] (op) b[i]; out may be a or b.
    static void combine(const void* a, const void* b, void* out, std::size_t count)
    {
        const T* const x = static_cast<const T*>(a);
        const T* const y = static_cast<const T*>(b);
        T* const z = static_cast<T*>(out);
#if defined(__x86_64__) && !defined(__AVX2__)
        if constexpr (kGoesInVectors<T>) {
            if (count >= kLeastCount && __builtin_cpu_supports("avx2")) return combine_by_avx2(x, y, z, count);
        }
#endif
        combine_each(x, y, z, count);
    }
    static void accumulate(const void* in, void* inout, std::size_t count)
    {
        combine(in, inout, inout, count);
    }

    // All such functions commute.
    static constexpr fmpl_op operation(const char* name)
    {
        return {accumulate, sizeof(T), name, 1, combine};
    }

private:
    static constexpr std::size_t kLeastCount = 64 / sizeof(T);

    [[gnu::always_inline]] static void combine_each(const T* a, const T* b, T* out, std::size_t count)
    {
        // No element depends on another one, though the compiler cannot know that.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (std::size_t i = 0; i < count; ++i) combine_two(out[i], a[i], b[i]);
    }

#if defined(__x86_64__) && !defined(__AVX2__)
    [[gnu::target("avx2")]] static void combine_by_avx2(const T* a, const T* b, T* out, std::size_t count)
    {
        combine_each(a, b, out, count);
    }
#endif
};

}  // namespace fmpl
