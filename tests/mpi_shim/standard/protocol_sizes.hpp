// The lengths of messages at which libraries change their way of sending: within a cache line, by copy, by rendezvous.
#pragma once

#include "mpi_test.hpp"

#include <cstddef>
#include <vector>

namespace mpi_test {

constexpr std::size_t kRendezvous = 300000;  // beyond every library's eager limit between ranks of one host
constexpr std::size_t kLong = std::size_t{5} << 20;

// In bytes, ascending; fewer of the long ones where many ranks share the processors.
inline std::vector<std::size_t> protocol_sizes()
{
    std::vector<std::size_t> sizes = {0, 1, 8, 23, 24, 25, 31, 32, 33, 39, 40, 41, 47, 48, 49, 55, 56, 57, 63, 64, 65,
        127, 128, 129, 1023, 1024, 1025, 4096, 8191, 8192, 8193, 16385, 65535, 65536, 65537};
    if (size() <= 4) sizes.push_back(kRendezvous);
    if (size() <= 2) sizes.push_back(kLong);
    return sizes;
}

// A long size that the number of ranks bears.
inline std::size_t long_size()
{
    return size() <= 2 ? kLong : kRendezvous;
}

// The neighbours in a ring of all ranks; with one rank, itself.
inline int right()
{
    return (rank() + 1) % size();
}
inline int left()
{
    return (rank() + size() - 1) % size();
}

}  // namespace mpi_test
