// The collective operations that are one of FMPL's exchanges (fmpl/exchange.h) where their data is short: each member
// lays down what it gives, 8 KiB at most, and takes what it wants.
//
// Intracommunicators, with an exchange of Schedule::exchange(). Data that is longer than its room is the schedule's
// error, shorter data is not, as with messages. Errors: as the schedule's.
//
// All members call the same algorithm, by the exchange or by messages, as long as the lengths of their calls agree.
// Where they do not, those who send messages have declined, and so the others hear of it and trade messages with them:
// nobody is left waiting. (But in the vector forms, where a block of no bytes is no message, and its owner alone knows;
// and in scans over more than kLinearScanRanks, whose messages are others by their length.)
#pragma once

#include "coll/algorithms.hpp"
#include "coll/blocks.hpp"
#include "coll/schedule.hpp"
#include "group/topology.hpp"
#include "p2p/fmpl_call.hpp"

#include <fmpl/exchange.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fmpl::mpi {

// That of the present call.
class Exchange {
public:
    explicit Exchange(fmpl_exchange* of) : of_(of) {}

    std::byte* room(std::uint64_t bytes) const
    {
        void* room = nullptr;
        check_fmpl(fmpl_exchange_room(of_, static_cast<std::size_t>(bytes), &room));
        return static_cast<std::byte*>(room);
    }
    static constexpr int kToAll = -1;
    void show(int to) const { fmpl_exchange_show(of_, to); }
    // As much of it as fits.
    void give(const MessageBuffer& message, int to) const
    {
        const std::uint64_t bytes = std::min<std::uint64_t>(message.bytes, FMPL_EXCHANGE_BYTES);
        message.pack(0, bytes, room(bytes));
        show(to);
    }
    // What would be given, so many bytes, goes as messages.
    void decline(std::uint64_t bytes, int to) const
    {
        check_fmpl(fmpl_exchange_decline(of_, static_cast<std::size_t>(bytes), to));
    }
    struct Given {
        const std::byte* data;  // nullptr: goes as messages
        std::size_t bytes;

        bool comes_as_messages() const { return data == nullptr; }
        std::span<const std::byte> span() const { return {data, bytes}; }
    };
    Given take(int from) const
    {
        const void* data = nullptr;
        std::size_t bytes = 0;
        check_fmpl(fmpl_exchange_take(of_, from, &data, &bytes));
        return {static_cast<const std::byte*>(data), bytes};
    }

private:
    fmpl_exchange* of_;
};

// mine: not used at root. blocks: at root, for each other member. Of equal lengths or of lengths of their own; a member
// knows no other than those of its own call. Who gives tells what does not fit, which goes as a message.
void exchanged_gather(Schedule& schedule, fmpl_exchange* of, const MessageBuffer& mine, const Blocks& blocks, int root);
// Likewise, of equal lengths. block_bytes: of each block, at root.
void exchanged_scatter(Schedule& schedule, fmpl_exchange* of, const Blocks& blocks, std::uint64_t block_bytes,
    const MessageBuffer& mine, int root);
// All others' blocks, which fit.
void exchanged_allgather(
    Schedule& schedule, fmpl_exchange* of, const MessageBuffer& mine, const Blocks& incoming, Lengths lengths);
// Blocks of the same length. The outgoing ones may lie where the incoming ones do.
void exchanged_alltoall(
    Schedule& schedule, fmpl_exchange* of, const Blocks& outgoing, std::uint64_t block_bytes, const Blocks& incoming);

// Of lengths of their own: who gives says which blocks go as messages, those longer than most_of_varying(). Of so many
// members at most.
inline constexpr int kMostOfVarying = 128;
constexpr std::uint64_t most_of_varying(int members)
{
    const auto n = static_cast<std::uint64_t>(members);
    return (FMPL_EXCHANGE_BYTES - 2 * n) / n / 8 * 8;
}
void exchanged_scatterv(
    Schedule& schedule, fmpl_exchange* of, const Blocks& blocks, const MessageBuffer& mine, int root);
void exchanged_alltoallv(Schedule& schedule, fmpl_exchange* of, const Blocks& outgoing, const Blocks& incoming);

// With the neighbours of a topology: blocks up to kMostOfNeighbour as far as they fit, the others as messages, and so
// what a rank sends itself.
inline constexpr std::uint64_t kMostOfNeighbour = 1024;
void exchanged_with_neighbours(Schedule& schedule, fmpl_exchange* of, const Neighbours& neighbours,
    const Blocks& outgoing, const Blocks& incoming);
// Of a predefined operation, on a type without gaps, below; as linear_scan, which it is where its data do not fit, and
// direct_reduce_scatter.
void exchanged_scan(
    Schedule& schedule, fmpl_exchange* of, const void* contribution, void* result, std::int64_t count, bool inclusive);
void exchanged_reduce_scatter(Schedule& schedule, fmpl_exchange* of, const void* contribution, void* result,
    std::span<const std::int64_t> counts, Lengths lengths);

}  // namespace fmpl::mpi
