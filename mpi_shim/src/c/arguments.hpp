// What the C names check of their arguments, and what they make of them. Everything here throws Error; the words name
// the argument, its value and what to give instead.
#pragma once

#include "group/communicator.hpp"
#include "interface/handles.hpp"
#include "interface/numbers.hpp"
#include "p2p/message_buffer.hpp"
#include "process/process.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace fmpl::mpi {

// The errors, out of line.
[[noreturn]] void fail_negative_count(std::int64_t count, const char* argument);
[[noreturn]] void fail_rank(const Communicator& comm, int rank, const char* argument);
[[noreturn]] void fail_tag(int tag, const char* argument, bool wildcard_allowed);
[[noreturn]] void fail_buffer(const void* buffer, const char* argument);
[[noreturn]] void fail_array(const char* argument);

// Ranks and tags here are the core's (rank_in, tag_in).

// A rank that may be sent to, MPI_PROC_NULL included. Class MPI_ERR_RANK.
inline void check_destination(const Communicator& comm, int rank, const char* argument = "dest")
{
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(comm.peers().size()) && rank != kProcNull) [[unlikely]]
        fail_rank(comm, rank, argument);
}

// A rank that may be received from, MPI_ANY_SOURCE and MPI_PROC_NULL included.
inline void check_source(const Communicator& comm, int rank, const char* argument = "source")
{
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(comm.peers().size()) && rank != kProcNull &&
        rank != kAnySource) [[unlikely]]
        fail_rank(comm, rank, argument);
}

// Class MPI_ERR_TAG. Every int from 0 is a tag.
inline void check_send_tag(int tag, const char* argument = "tag")
{
    if (tag < 0) [[unlikely]]
        fail_tag(tag, argument, false);
}
inline void check_receive_tag(int tag, const char* argument = "tag")
{
    if (tag < 0 && tag != kAnyTag) [[unlikely]]
        fail_tag(tag, argument, true);
}

// Whether it is no address: MPI_BOTTOM, which is 0 in every interface, or MPI_IN_PLACE.
inline bool may_be_missing(const void* buffer)
{
    static_assert(MPI_BOTTOM == nullptr);
    return buffer == nullptr || buffer == MPI_IN_PLACE;
}

// Class MPI_ERR_BUFFER: no address where there must be one. A derived type may have absolute addresses.
inline void check_buffer(const void* buffer, std::uint64_t bytes, const TypeObject& type, const char* argument = "buf")
{
    if (may_be_missing(buffer) && bytes > 0 && (buffer == MPI_IN_PLACE || type.is_predefined())) [[unlikely]]
        fail_buffer(buffer, argument);
}

// The memory of one side of a message, all its arguments checked. Inlined, as the whole way of a short message.
[[gnu::always_inline]] inline MessageBuffer message_buffer(Process& process, const void* buffer, int count,
    MPI_Datatype datatype, const char* buffer_argument = "buf", const char* count_argument = "count",
    const char* type_argument = "datatype")
{
    if (count < 0) [[unlikely]]
        fail_negative_count(count, count_argument);
    const TypeObject& type = process.committed_type(number_of(datatype), type_argument);
    MessageBuffer message = MessageBuffer::of(buffer, count, type);
    check_buffer(buffer, message.bytes, type, buffer_argument);
    return message;
}

// An array argument of the user's.
template <class T>
std::span<const T> array_of(const T* values, int count, const char* argument, const char* count_argument = "count")
{
    if (count < 0) [[unlikely]]
        fail_negative_count(count, count_argument);
    if (values == nullptr && count > 0) [[unlikely]]
        fail_array(argument);
    return {values, static_cast<std::size_t>(count)};
}

}  // namespace fmpl::mpi
