// Which pairs of ranks exchange messages.
#pragma once

namespace fmpl::bench {

enum class Pairs {
    first,       // ranks 0 and 1
    neighbours,  // ranks 2i and 2i + 1 for all i
    halves       // ranks i and i + n/2 for all i < n/2
};

}  // namespace fmpl::bench
