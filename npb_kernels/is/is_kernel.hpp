// Kernel IS: ranks 2^16 (class S) to 2^31 (class D) integers, ten times (NPB report RNR-94-007, section 2.3.6).
//
// Any number of ranks up to the number of buckets, 512 in class S and 1024 in the others; the benchmark's own program
// runs on powers of two alone.
#pragma once

#include "../common/program.hpp"

namespace fmpl::npb::is {

// Throws Refusal where there are more ranks than buckets, or too little memory.
Outcome is_kernel(Run& run);

}  // namespace fmpl::npb::is
