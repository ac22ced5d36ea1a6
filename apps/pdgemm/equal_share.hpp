#pragma once

namespace fmpl::pdgemm {

// Equal shares of `whole`, of at most `most`, so that none is a sliver.
inline int equal_share(int whole, int most)
{
    const int shares = (whole - 1) / most + 1;
    return (whole - 1) / shares + 1;
}

}  // namespace fmpl::pdgemm
