// The body that an envelope handler has, taken in parts as they come.
#pragma once

#include "p2p/fmpl_call.hpp"

#include <fmpl/envelope_steps.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fmpl::mpi {

// Calls take(begin, end) for bytes [0, bytes) of the body, or of what has been kept of one (fmpl_envelope_await_body).
template <class Take>
void take_body(std::uint64_t bytes, Take&& take)
{
    if (bytes <= FMPL_ENVELOPE_STEP) return take(std::uint64_t{0}, bytes);
    for (std::uint64_t at = 0; at < bytes;) {
        std::size_t there = 0;
        check_fmpl(fmpl_envelope_await_body(at + 1, &there));
        const std::uint64_t end = std::min<std::uint64_t>(there, bytes);
        take(at, end);
        at = end;
    }
}

}  // namespace fmpl::mpi
