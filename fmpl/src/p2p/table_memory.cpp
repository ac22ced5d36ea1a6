#include "p2p/table_memory.hpp"

#include "crossbar/host.hpp"
#include "error.hpp"

namespace fmpl {
namespace {

// So much may be backed between two looks at the memory that is left, of which each takes tens of microseconds.
constexpr std::size_t kUncheckedBytes = std::size_t{1} << 20;

}  // namespace

TableMemory::TableMemory(const JobMemory& memory, int rank)
    : memory_(&memory),
      addresses_(nullptr, memory.tables_offset(rank), memory.tables_bytes(rank)),
      unchecked_bytes_(kUncheckedBytes)
{
}

Offset TableMemory::take(std::size_t bytes)
{
    const std::size_t page = page_bytes();
    const std::size_t whole = (bytes + page - 1) / page * page;
    const Offset at = addresses_.try_allocate(whole);
    if (at == kNoOffset) {
        fail(FMPL_ERR_MEMORY,
            "no memory for records of pairs of ranks: {} bytes of address space wanted, {} of {} are in use; give the "
            "ranks "
            "larger arenas with FMPL_ARENA_SIZE, of which a quarter more is for such records, or free communicators",
            whole, addresses_.used_bytes(), addresses_.bytes());
    }
    memory_->declare_taken(at, whole);
    return at;
}

void TableMemory::give_back(Offset at)
{
    if (at == kNoOffset) return;
    memory_->release(at, addresses_.block_bytes(at));
    addresses_.free(at);
}

void TableMemory::back(Offset at, std::size_t bytes)
{
    const std::size_t page = page_bytes();
    const Offset begin = at / page * page;
    const std::size_t whole = (at + bytes - begin + page - 1) / page * page;
    unchecked_bytes_ += whole;
    if (unchecked_bytes_ < kUncheckedBytes) {
        memory_->back(begin, whole);
    } else {
        memory_->commit(begin, whole);
        unchecked_bytes_ = 0;
    }
}

}  // namespace fmpl
