// A message that both of its ranks copy, by a record of the source's (fmpl/joint_copy.h). The record is a HeadBody; its
// `work` and `done` are as SharedCopy has them.
//
// Writer: the source, while the destination does not know of it: `work` = closed. Then who takes it from closed by an
// exchange: the source, which withdraws it, or the destination: `bytes`, `at`, and `work` = open by a release, which
// pairs with the acquire in fmpl_joint_give; from there on SharedCopy.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"
#include "p2p/shared_copy.hpp"

#include <fmpl/joint_copy.h>
#include <fmpl/remote.h>

using namespace fmpl;

namespace {

static_assert(sizeof(HeadBody) <= FMPL_JOINT_RECORD);

void check_pointer(const void* p, const char* name)
{
    if (p == nullptr) fail(FMPL_ERR_ARGUMENT, "{} is a null pointer; give an address", name);
}

void check_rank(const Rank& own, int world_rank)
{
    if (world_rank < 0 || world_rank >= own.job_size()) {
        fail(FMPL_ERR_RANK, "world_rank = {}: the job has the ranks 0 to {}", world_rank, own.job_size() - 1);
    }
}

HeadBody& own_record(const Rank& own, void* record)
{
    if (!own.node.crossbar.contains(record, FMPL_JOINT_RECORD) ||
        reinterpret_cast<std::uintptr_t>(record) % FMPL_JOINT_RECORD != 0) {
        fail(FMPL_ERR_ARGUMENT,
            "record = {}: not {} bytes of this rank's remote-DMA memory at a multiple of that; take them from "
            "fmpl_malloc",
            record, static_cast<int>(FMPL_JOINT_RECORD));
    }
    return *static_cast<HeadBody*>(record);
}

// nullptr: the caller does not address it.
HeadBody* record_of(int source, std::uint64_t record)
{
    if (record % FMPL_JOINT_RECORD != 0) return nullptr;
    return static_cast<HeadBody*>(fmpl_remote_room(source, record, FMPL_JOINT_RECORD));
}

SharedCopy copy_of(const Rank& own, HeadBody& record, std::size_t bytes, int other)
{
    return {record, bytes, SharedCopy::end_of(own.node.rank(), other)};
}

}  // namespace

extern "C" {

int fmpl_joint_prepare(void* record)
{
    return query("fmpl_joint_prepare", [&](Rank& own) {
        std::atomic_ref(own_record(own, record).work).store(SharedCopy::kClosed, std::memory_order_relaxed);
    });
}

int fmpl_joint_open(int source, uint64_t record, void* to, size_t size, int* opened)
{
    return query("fmpl_joint_open", [&](Rank& own) {
        check_pointer(opened, "opened");
        check_pointer(to, "to");
        check_rank(own, source);
        if (size == 0) fail(FMPL_ERR_ARGUMENT, "size is 0: such a message needs no copy");
        check_buffer(to, size);
        *opened = 0;
        HeadBody* const shared = record_of(source, record);
        const Node& node = own.node;
        if (shared == nullptr || !node.private_memory.reaches(source)) return;
        if (!SharedCopy::take_closed(*shared, SharedCopy::kOpening)) return;  // else the source may use it again
        shared->bytes = size;
        shared->at = node.crossbar.contains(to, size) ? node.crossbar.offset_of(to) : PrivateMemory::address(to);
        copy_of(own, *shared, size, source).open_for_any();
        node.crossbar.wake(source);  // it may wait for nothing else
        *opened = 1;
    });
}

int fmpl_joint_withdraw(void* record, int* withdrawn)
{
    return query("fmpl_joint_withdraw", [&](Rank& own) {
        check_pointer(withdrawn, "withdrawn");
        *withdrawn = SharedCopy::take_closed(own_record(own, record), SharedCopy::kWithdrawn) ? 1 : 0;
    });
}

int fmpl_joint_take(
    int source, uint64_t record, uint64_t address, void* to, size_t size, int alone, size_t* copied, int* done)
{
    return copying_query("fmpl_joint_take", [&](Rank& own) {
        check_pointer(copied, "copied");
        check_pointer(done, "done");
        check_pointer(to, "to");
        check_buffer(to, size);
        check_rank(own, source);
        HeadBody* const shared = record_of(source, record);
        if (shared == nullptr) fail(FMPL_ERR_ARGUMENT, "record = {:#x}: none of rank {}'s", record, source);
        SharedCopy copy = copy_of(own, *shared, size, source);
        const Offset from = PrivateMemory::address(address);
        *copied = 0;
        const auto read = [&](std::size_t begin, std::size_t bytes) {
            own.node.private_memory.read(source, from + begin, static_cast<std::byte*>(to) + begin, bytes);
            *copied += bytes;
        };
        if (alone != 0 ? copy.copy_rest(read) : copy.copy(read, false)) own.node.crossbar.wake(source);
        *done = copy.done() ? 1 : 0;
    });
}

int fmpl_joint_give(int destination, void* record, const void* from, size_t size, int* done)
{
    return copying_query("fmpl_joint_give", [&](Rank& own) {
        check_pointer(done, "done");
        check_pointer(from, "from");
        check_buffer(from, size);
        check_rank(own, destination);
        *done = 0;
        HeadBody& shared = own_record(own, record);
        // acquire: pairs with fmpl_joint_open
        if (!SharedCopy::is_open(std::atomic_ref(shared.work).load(std::memory_order_acquire))) return;
        const std::size_t bytes = shared.bytes;
        const Offset to = shared.at;
        if (bytes == 0 || bytes > size) {
            fail(FMPL_ERR_INTERNAL, "rank {} asks for {} bytes of a message of {}", destination, bytes, size);
        }
        if (!PrivateMemory::is_private(to) && fmpl_remote_room(destination, to, bytes) == nullptr) {
            fail(FMPL_ERR_INTERNAL, "rank {} wants a message at {:#x}, which is none of its places", destination, to);
        }
        SharedCopy copy = copy_of(own, shared, bytes, destination);
        const PrivateMemory& memory = own.node.private_memory;
        const auto write = [&](std::size_t begin, std::size_t n) {
            memory.write(destination, to + begin, static_cast<const std::byte*>(from) + begin, n);
        };
        if (memory.reaches(destination) && copy.copy(write, false)) own.node.crossbar.wake(destination);
        *done = copy.done() ? 1 : 0;
    });
}

}  // extern "C"
