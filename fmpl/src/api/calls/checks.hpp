// What the calls check before they call: communicator and rank, index, buffer, columns, operation. All throw Error.
#pragma once

#include "api/rank.hpp"

#include <fmpl/columns.h>

#include <cstddef>
#include <cstdint>

namespace fmpl {

inline constexpr std::size_t kMostBytes = PTRDIFF_MAX;

[[noreturn]] void fail_buffer(std::size_t bytes);
// Of every call with a buffer. A size above the largest ptrdiff_t was a negative number: no buffer is as long.
inline void check_buffer(const void* buffer, std::size_t bytes)
{
    if ((buffer == nullptr && bytes > 0) || bytes > kMostBytes) [[unlikely]]
        fail_buffer(bytes);
}
Columns checked_columns(const void* base, const fmpl_columns* columns);

// The communicator of a call that has to do with one of its ranks, which the call names so.
inline Communicator& checked(Rank& own, fmpl_comm_t comm, const char* name, int rank)
{
    Communicator& c = own.communicators.find(comm);
    c.check_rank(rank, name);
    return c;
}
// The same for messages to and from a rank; and for a receive from any index.
inline Communicator& destination(Rank& own, fmpl_comm_t comm, int rank, int index)
{
    Communicator& c = checked(own, comm, "dst", rank);
    c.check_index(index);
    return c;
}
inline Communicator& source(Rank& own, fmpl_comm_t comm, int rank, int index)
{
    Communicator& c = checked(own, comm, "src", rank);
    c.check_index(index);
    return c;
}
inline Communicator& source_of_any(Rank& own, fmpl_comm_t comm, int rank, int index)
{
    Communicator& c = checked(own, comm, "src", rank);
    if (index != FMPL_ANY_TAG) c.check_index(index);
    return c;
}

void check_operation(const void* operand, std::size_t count, fmpl_op_t op);
// Of a reduction: the operand's own place, or memory apart.
void check_result(const void* operand, const void* result, std::size_t bytes);

}  // namespace fmpl
