// How many doubles a register of the processor holds. A vector that is wider the compiler would move by way of the
// stack.
//
// For the kernels' sources alone: they are compiled for the processor of the machine, what they link with is not.
#pragma once

#include <cstddef>

namespace fmpl::npb {

#if defined(__AVX512F__)
inline constexpr std::size_t kRegisterDoubles = 8;
#elif defined(__AVX__)
inline constexpr std::size_t kRegisterDoubles = 4;
#else
inline constexpr std::size_t kRegisterDoubles = 2;
#endif

}  // namespace fmpl::npb
