// How the members that run share the parts of one piece of work: each begins with the part of its own number and goes
// on with the nearest. Ranks that share a CPU are neighbours, so the same CPU takes the same parts again and again,
// and finds in its cache what it has written last.
#pragma once

#include <cstddef>

namespace fmpl {

// Calls take(part) for each of the parts 0 .. parts - 1, in this member's order.
template <class Take>
void nearest_first(int member, int members, std::size_t parts, Take&& take)
{
    const std::size_t own = static_cast<std::size_t>(member) * parts / static_cast<std::size_t>(members);
    if (own < parts) take(own);
    for (std::size_t distance = 1; distance < parts; ++distance) {
        if (own >= distance) take(own - distance);
        if (own + distance < parts) take(own + distance);
    }
}

}  // namespace fmpl
