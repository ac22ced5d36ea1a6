// A short message lies in the line that both directions of a pair of ranks share, whatever its index. So one line goes
// from core to core, once, and an answer finds it where the question left it (records.hpp, Lane). It needs a mapped
// peer, nothing unconsumed on its channel, and nothing in the lane.
#pragma once

#include "p2p/communicator.hpp"
#include "p2p/records.hpp"

#include <fmpl/small_copy.hpp>

#include <cstddef>
#include <cstdint>

namespace fmpl::lane {

// Source. what: the length of the message, or LaneStamp::kOffer. put(payload) writes the payload.
template <class Put>
void write(Communicator& comm, int destination, int index, std::size_t what, std::uint64_t number, std::uint64_t order,
    Put&& put)
{
    PairState& pair = comm.pair(destination);
    LaneHalf& lane = *comm.peer(destination).lane_to;
    pair.lane_number = number;
    pair.lane_index = index;
    lane.order = static_cast<std::uint32_t>(order);
    put(lane.payload);
    // release: pairs with SendEnd::lane_is_free, lane_offer::send
    lane.reverse_taken.store(pair.lane_taken, std::memory_order_release);
    // release: pairs with ReceiveEnd::arrival
    lane.stamp.store(LaneStamp::make(++pair.lane_sent, index, what), std::memory_order_release);
}

// Destination, of a message that is there. What it sends back tells the source.
inline void take(const LaneHalf& lane, PairState& pair, void* buffer, std::size_t bytes)
{
    small_copy(buffer, lane.payload, bytes);
    ++pair.lane_taken;
}

}  // namespace fmpl::lane
