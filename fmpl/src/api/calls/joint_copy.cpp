// A message that both of its ranks copy, by a record of the source's (fmpl/joint_copy.h). In its HeadBody `work` and
// `done` are as SharedCopy has them.
//
// Writer: the source, while the destination does not know of it: `work` = closed. Then who takes it from closed by an
// exchange: the source, which withdraws it, or the destination: `bytes`, `at`, `chunk`, `passed`, and `work` = open by
// a release, which pairs with the acquire in open_copy; from there on SharedCopy, and `passed` is the source's.
//
// A chunk that the source claims to pass it on counts as done at once: the source alone uses its buffer for it, and the
// destination counts those that have come. Who sees all chunks done sees the last `passed`.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"
#include "p2p/shared_copy.hpp"

#include <fmpl/joint_copy.h>
#include <fmpl/remote.h>

#include <optional>

using namespace fmpl;

namespace {

struct JointRecord {
    HeadBody body;
    std::uint64_t chunk;   // bytes of one that the source passes on; 0: it copies
    std::uint64_t passed;  // chunks that it has claimed for that
};
static_assert(sizeof(JointRecord) <= FMPL_JOINT_RECORD);

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

JointRecord& own_record(const Rank& own, void* record)
{
    if (!own.node.crossbar.contains(record, FMPL_JOINT_RECORD) ||
        reinterpret_cast<std::uintptr_t>(record) % FMPL_JOINT_RECORD != 0) {
        fail(FMPL_ERR_ARGUMENT,
            "record = {}: not {} bytes of this rank's remote-DMA memory at a multiple of that; take them from "
            "fmpl_malloc",
            record, static_cast<int>(FMPL_JOINT_RECORD));
    }
    return *static_cast<JointRecord*>(record);
}

// nullptr: the caller does not address it.
JointRecord* record_of(int source, std::uint64_t record)
{
    if (record % FMPL_JOINT_RECORD != 0) return nullptr;
    return static_cast<JointRecord*>(fmpl_remote_room(source, record, FMPL_JOINT_RECORD));
}

// By the destination.
JointRecord& known_record(int source, std::uint64_t record)
{
    JointRecord* const known = record_of(source, record);
    if (known == nullptr) fail(FMPL_ERR_ARGUMENT, "record = {:#x}: none of rank {}'s", record, source);
    return *known;
}

// So long a chunk may be that the source passes on.
constexpr std::uint64_t kMostChunk = std::uint64_t{1} << 30;

// Read once: the other side may write it again at any time.
std::uint64_t read_once(std::uint64_t& word)
{
    return std::atomic_ref(word).load(std::memory_order_relaxed);
}

SharedCopy copy_of(const Rank& own, JointRecord& record, std::size_t bytes, std::uint64_t chunk, int other)
{
    const SharedCopy::End mine = SharedCopy::end_of(own.node.rank(), other);
    if (chunk == 0) return {record.body, bytes, mine};
    if (chunk % kLine != 0 || chunk > kMostChunk || bytes / chunk >= SharedCopy::kClosed) {
        fail(FMPL_ERR_INTERNAL, "rank {} has {} bytes, in chunks of {}, in the record of a message", other, bytes,
            chunk);
    }
    return {record.body, bytes, mine, SharedCopy::Chunk{chunk}};
}
// By the destination, which has opened it.
SharedCopy copy_of(const Rank& own, JointRecord& record, std::size_t bytes, int source)
{
    return copy_of(own, record, bytes, read_once(record.chunk), source);
}

// As the source finds it.
struct OpenCopy {
    SharedCopy copy;
    std::size_t bytes;
    Offset to;
    std::uint64_t chunk;
};
// Of a message of `size` bytes; none if the destination has not opened it.
std::optional<OpenCopy> open_copy(const Rank& own, JointRecord& record, std::size_t size, int destination)
{
    // acquire: pairs with fmpl_joint_open
    if (!SharedCopy::is_open(std::atomic_ref(record.body.work).load(std::memory_order_acquire))) return std::nullopt;
    const std::size_t bytes = read_once(record.body.bytes);
    const std::uint64_t chunk = read_once(record.chunk);
    if (bytes == 0 || bytes > size) {
        fail(FMPL_ERR_INTERNAL, "rank {} asks for {} bytes of a message of {}", destination, bytes, size);
    }
    return OpenCopy{copy_of(own, record, bytes, chunk, destination), bytes, read_once(record.body.at), chunk};
}

}  // namespace

extern "C" {

int fmpl_joint_prepare(void* record)
{
    return query("fmpl_joint_prepare", [&](Rank& own) {
        std::atomic_ref(own_record(own, record).body.work).store(SharedCopy::kClosed, std::memory_order_relaxed);
    });
}

int fmpl_joint_open(int source, uint64_t record, void* to, size_t size, size_t chunk, int* opened)
{
    return query("fmpl_joint_open", [&](Rank& own) {
        check_pointer(opened, "opened");
        check_pointer(to, "to");
        check_rank(own, source);
        if (size == 0) fail(FMPL_ERR_ARGUMENT, "size is 0: such a message needs no copy");
        if (chunk % kLine != 0 || chunk > kMostChunk) {
            fail(FMPL_ERR_ARGUMENT, "chunk = {}: give 0 or a multiple of {} up to {}", chunk, kLine, kMostChunk);
        }
        check_buffer(to, size);
        *opened = 0;
        JointRecord* const shared = record_of(source, record);
        const Node& node = own.node;
        if (shared == nullptr || !node.private_memory.reaches(source)) return;
        // Else the source may use it again.
        if (!SharedCopy::take_closed(shared->body, SharedCopy::kOpening)) return;
        shared->body.bytes = size;
        shared->body.at = node.crossbar.contains(to, size) ? node.crossbar.offset_of(to) : PrivateMemory::address(to);
        shared->chunk = chunk;
        shared->passed = 0;
        copy_of(own, *shared, size, source).open_for_any();
        node.crossbar.wake(source);  // it may wait for nothing else
        *opened = 1;
    });
}

int fmpl_joint_withdraw(void* record, int* withdrawn)
{
    return query("fmpl_joint_withdraw", [&](Rank& own) {
        check_pointer(withdrawn, "withdrawn");
        *withdrawn = SharedCopy::take_closed(own_record(own, record).body, SharedCopy::kWithdrawn) ? 1 : 0;
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
        SharedCopy copy = copy_of(own, known_record(source, record), size, source);
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
        std::optional<OpenCopy> open = open_copy(own, own_record(own, record), size, destination);
        if (!open) return;
        const Offset to = open->to;
        if (!PrivateMemory::is_private(to) && fmpl_remote_room(destination, to, open->bytes) == nullptr) {
            fail(FMPL_ERR_INTERNAL, "rank {} wants a message at {:#x}, which is none of its places", destination, to);
        }
        const PrivateMemory& memory = own.node.private_memory;
        const auto write = [&](std::size_t begin, std::size_t n) {
            memory.write(destination, to + begin, static_cast<const std::byte*>(from) + begin, n);
        };
        // Chunks that are passed on are too short for calls of the kernel.
        const auto copy = [&] {
            return open->chunk != 0 ? open->copy.copy_rest(write) : open->copy.copy(write, false);
        };
        if (memory.reaches(destination) && copy()) own.node.crossbar.wake(destination);
        *done = open->copy.done() ? 1 : 0;
    });
}

int fmpl_joint_claim(
    int destination, void* record, size_t size, size_t longest, size_t* begin, size_t* bytes, int* done)
{
    return query("fmpl_joint_claim", [&](Rank& own) {
        check_pointer(begin, "begin");
        check_pointer(bytes, "bytes");
        check_pointer(done, "done");
        check_rank(own, destination);
        *bytes = 0;
        *done = 0;
        JointRecord& shared = own_record(own, record);
        std::optional<OpenCopy> open = open_copy(own, shared, size, destination);
        if (!open) return;
        SharedCopy& copy = open->copy;
        if (open->chunk == 0 || open->chunk > longest) {
            if (longest == 0 && open->chunk != 0 && copy.is_any_left()) *bytes = open->chunk;
        } else if (copy.claim(*begin, *bytes)) {
            std::atomic_ref passed(shared.passed);  // relaxed: published by what follows
            passed.store(passed.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            copy.count_done();
        }
        *done = copy.done() ? 1 : 0;
    });
}

int fmpl_joint_arrived(int source, uint64_t record, size_t size, size_t chunks, int* done)
{
    return query("fmpl_joint_arrived", [&](Rank& own) {
        check_pointer(done, "done");
        check_rank(own, source);
        JointRecord& shared = known_record(source, record);
        const bool all_gone = copy_of(own, shared, size, source).done();
        *done = all_gone && std::atomic_ref(shared.passed).load(std::memory_order_relaxed) == chunks ? 1 : 0;
    });
}

}  // extern "C"
