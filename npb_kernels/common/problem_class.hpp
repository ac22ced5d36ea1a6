// The classes of problem sizes of the NAS Parallel Benchmarks.
#pragma once

#include <array>

namespace fmpl::npb {

enum class ProblemClass { S, W, A, B, C, D };

inline constexpr std::array kProblemClasses{
    ProblemClass::S, ProblemClass::W, ProblemClass::A, ProblemClass::B, ProblemClass::C, ProblemClass::D};

constexpr char letter(ProblemClass problem_class)
{
    return "SWABCD"[static_cast<int>(problem_class)];
}

// A value for each class, in their order: by_class(problem_class, s, w, a, b, c, d).
template <class T>
constexpr T by_class(ProblemClass problem_class, T s, T w, T a, T b, T c, T d)
{
    const std::array values{s, w, a, b, c, d};
    return values[static_cast<std::size_t>(problem_class)];
}

}  // namespace fmpl::npb
