// Temporary memory of collective operations, kept for the next one. Used by its rank alone.
#pragma once

#include "p2p/scratch.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace fmpl::mpi {

class ScratchPool {
public:
    struct Block {
        Scratch memory;
        int size_class;
    };

    // At least `bytes` bytes. Throws std::bad_alloc.
    Block take(std::size_t bytes);
    void give_back(Block block);
    // Frees what is kept.
    void clear();

private:
    static constexpr int kSmallestClass = 12;            // 4 KiB
    static constexpr std::size_t kMostKept = 64u << 20;  // bytes; what comes back beyond that is freed

    std::array<std::vector<Scratch>, 64> kept_;  // by the logarithm of the size
    std::size_t kept_bytes_ = 0;
};

}  // namespace fmpl::mpi
