// The search for the element largest or smallest in absolute value: what it compares and which of two it keeps.
//
// Of several elements with the same absolute value the one of the smallest process number wins: the library hands the
// operation its left operand from the lower ranks, and the left one wins a tie.
#pragma once

#include "element.hpp"

#include <cstddef>
#include <cstdint>

namespace fmpl::blacs {

enum class Extreme { absolute_maximum, absolute_minimum };

// An element and the process that it comes from, by its number in the grid.
template <class T>
struct Candidate {
    T value;
    std::int32_t process;
};

template <class T>
auto magnitude(const T& x)
{
    return Element<T>::magnitude(x);
}
template <class T>
auto magnitude(const Candidate<T>& x)
{
    return Element<T>::magnitude(x.value);
}

template <class T>
T select(bool first, const T& a, const T& b)
{
    return first ? a : b;
}
template <class T>
Candidate<T> select(bool first, const Candidate<T>& a, const Candidate<T>& b)
{
    return {first ? a.value : b.value, first ? a.process : b.process};
}

// Leaves the winner of each pair in inout; `in` has the elements of the lower ranks. E: T or Candidate<T>.
template <class E, Extreme extreme>
void keep_extreme(const void* in, void* inout, std::size_t count)
{
    const E* lower = static_cast<const E*>(in);
    E* kept = static_cast<E*>(inout);
    for (std::size_t i = 0; i < count; ++i) {
        const auto a = magnitude(lower[i]);
        const auto b = magnitude(kept[i]);
        // Both are read and one is stored, without a branch: which of two elements is larger cannot be predicted.
        kept[i] = select(extreme == Extreme::absolute_maximum ? a >= b : a <= b, lower[i], kept[i]);
    }
}

}  // namespace fmpl::blacs
