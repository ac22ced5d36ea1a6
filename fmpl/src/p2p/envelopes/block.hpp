// The block of a rank's tables (p2p/table_memory.hpp) that holds what other ranks write of their envelopes to it, and
// what they give back: for each other rank in their order doors, rings of cells with a line between two, credits,
// claims, pair cells, rings of body lines. Rank 0 gathers where the blocks lie and tells all
// (fmpl_envelopes_open).
//
// What belongs to two ranks that never talk is never touched: the source of a pair's first envelope backs what it
// writes (EnvelopePeers::open_way), and room for bodies as it is needed (back_body).
#pragma once

#include "p2p/envelopes/doors.hpp"
#include "p2p/envelopes/lending.hpp"
#include "p2p/envelopes/ring.hpp"
#include "p2p/table_memory.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace fmpl {

// Where in a block its parts lie, in bytes; the same for all ranks of a job.
class EnvelopeLayout {
public:
    EnvelopeLayout() = default;
    EnvelopeLayout(int ranks, std::size_t body_bytes, bool share_cpus = false);

    const RingSizes& sizes() const { return sizes_; }
    // Of the whole block: the address space that a rank takes.
    std::size_t bytes() const { return end_; }

    // What stands in the block of rank `at` for the pair with `other`.
    Offset door(int other) const { return static_cast<Offset>(other) * sizeof(EnvelopeDoor); }
    Offset cells(int at, int other) const { return cells_ + place(other, at) * cells_bytes(); }
    Offset credit(int at, int other) const { return credits_ + place(other, at) * sizeof(EnvelopeCredit); }
    Offset claim(int at, int other) const { return claims_ + place(other, at) * sizeof(EnvelopeClaim); }
    Offset bodies(int at, int other) const { return bodies_ + place(other, at) * sizes_.bodies_bytes(); }
    // Pair cells at another place in each block.
    Offset pair_cell(int at, int other) const
    {
        return pair_cells_ + static_cast<Offset>((at + other) % ranks_) * sizeof(EnvelopeCell);
    }

    // A line between two rings: what a poll looks at shall not fall into few sets of the core's cache.
    std::size_t cells_bytes() const { return (std::size_t{sizes_.cells} + 1) * sizeof(EnvelopeCell); }

private:
    static std::size_t place(int of, int at) { return static_cast<std::size_t>(of < at ? of : of - 1); }

    RingSizes sizes_;
    int ranks_ = 0;
    Offset cells_ = 0;
    Offset credits_ = 0;
    Offset claims_ = 0;
    Offset pair_cells_ = 0;  // one more than other ranks: that of two ranks at the place (sum of their ranks) mod ranks
    Offset bodies_ = 0;
    Offset end_ = 0;
};

// What a rank has made, which it tells all others.
struct EnvelopeBlock {
    Offset at;             // kNoOffset: it has no memory for it
    std::uint64_t counts;  // 1: its sources count at its doors
};

// The blocks of all ranks. The places are those of `at`'s block that stand for the pair with `other`.
class EnvelopeBlocks {
public:
    // This rank's. Throws Error(MEMORY), and then nothing has changed.
    // share_cpus: the ranks do; then its sources count.
    EnvelopeBlock make(TableMemory& tables, int ranks, std::size_t body_bytes, bool share_cpus);
    void unmake(TableMemory& tables);
    // Those of all ranks, in their order.
    void connect(std::vector<EnvelopeBlock> blocks) { blocks_ = std::move(blocks); }

    const EnvelopeLayout& layout() const { return layout_; }
    bool counts(int at) const { return block(at).counts != 0; }

    Offset doors(int at) const { return block(at).at; }
    Offset door(int at, int other) const { return block(at).at + layout_.door(other); }
    Offset cells(int at, int other) const { return block(at).at + layout_.cells(at, other); }
    Offset credit(int at, int other) const { return block(at).at + layout_.credit(at, other); }
    Offset claim(int at, int other) const { return block(at).at + layout_.claim(at, other); }
    Offset bodies(int at, int other) const { return block(at).at + layout_.bodies(at, other); }
    // At the lower of the two.
    Offset pair_cell(int one, int another) const
    {
        const int at = std::min(one, another);
        return block(at).at + layout_.pair_cell(at, std::max(one, another));
    }

private:
    const EnvelopeBlock& block(int at) const { return blocks_[static_cast<std::size_t>(at)]; }

    EnvelopeLayout layout_;
    std::vector<EnvelopeBlock> blocks_;  // until connect() this rank's alone
};

}  // namespace fmpl
