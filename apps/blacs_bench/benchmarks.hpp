// The benchmarks of this program that are its own; the others are those of apps/bench over the BLACS' calls.
#pragma once

#include "../bench/benchmarks.hpp"

namespace fmpl::bench {

void settle_p2p(Options&);
void run_p2p(const Options&, const Job&, Report&);
void run_amx(const Options&, const Job&, Report&);

// The options of p2p, as they are when not typed.
inline constexpr const char* kDefaultShape = "contiguous";
inline constexpr const char* kDefaultMatrix = "40x40";
inline constexpr int kDefaultLda = 640;

}  // namespace fmpl::bench
