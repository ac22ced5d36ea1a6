// How the members that run share the parts of one piece of work: each begins with the part of its own number and goes
// on with the nearest, so that the same CPU takes the same parts again and again, and finds in its cache what it has
// read and written last. Where CPUs are shared, a member takes first the parts of all members of its CPU, and then only
// those of CPUs on which nobody has begun: whoever has begun there goes on to the end, and would find its operands in
// another cache next time (docs/decisions/0039-parts-stay-with-their-cpu.md).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

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

// The same for the parts, at most 64, that this member is to take, if nobody is faster. cpus: of each member
// (CpuMates::cpu_of_members); empty: each has its own. taken(): bit i: somebody has taken part i.
template <class Taken, class Take>
void nearest_cpu_first(
    int member, int members, std::span<const int> cpus, std::size_t parts, Taken&& taken, Take&& take)
{
    if (cpus.empty()) return nearest_first(member, members, parts, take);
    const auto cpu_of = [&](std::size_t part) { return cpus[part * cpus.size() / parts]; };
    const auto bit_of = [&](std::size_t part) { return std::uint64_t{1} << cpu_of(part) % 64; };
    const int own = cpus[static_cast<std::size_t>(member)];
    nearest_first(member, members, parts, [&](std::size_t part) {
        if (cpu_of(part) == own) take(part);
    });
    std::uint64_t begun = 0;
    for (std::uint64_t left = taken(); left != 0; left &= left - 1) {
        begun |= bit_of(static_cast<std::size_t>(std::countr_zero(left)));
    }
    nearest_first(member, members, parts, [&](std::size_t part) {
        if ((begun & bit_of(part)) == 0) take(part);
    });
}

}  // namespace fmpl
