#pragma once

#include <cstddef>

namespace fmpl {

inline constexpr std::size_t kLine = 64;  // bytes of a cache line

}  // namespace fmpl
