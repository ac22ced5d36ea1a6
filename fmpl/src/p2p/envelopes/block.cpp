#include "p2p/envelopes/block.hpp"

namespace fmpl {

EnvelopeLayout::EnvelopeLayout(int ranks, std::size_t body_bytes, bool share_cpus)
    : sizes_(RingSizes::of(ranks, body_bytes, share_cpus)),
      ranks_(ranks)
{
    const std::size_t others = static_cast<std::size_t>(ranks) - 1;
    cells_ = (static_cast<std::size_t>(ranks) * sizeof(EnvelopeDoor) + kLine - 1) / kLine * kLine;
    credits_ = cells_ + others * cells_bytes();
    claims_ = credits_ + others * sizeof(EnvelopeCredit);
    pair_cells_ = claims_ + others * sizeof(EnvelopeClaim);
    bodies_ = pair_cells_ + (others + 1) * sizeof(EnvelopeCell);
    end_ = bodies_ + others * sizes_.bodies_bytes();
}

EnvelopeBlock EnvelopeBlocks::make(TableMemory& tables, int ranks, std::size_t body_bytes, bool share_cpus)
{
    const EnvelopeLayout layout(ranks, body_bytes, share_cpus);
    blocks_ = {{tables.take(layout.bytes()), share_cpus ? 1u : 0u}};
    layout_ = layout;
    return blocks_.front();
}

void EnvelopeBlocks::unmake(TableMemory& tables)
{
    if (!blocks_.empty()) tables.give_back(blocks_.front().at);
    blocks_.clear();
}

}  // namespace fmpl
