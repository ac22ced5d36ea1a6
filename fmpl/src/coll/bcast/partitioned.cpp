#include "coll/bcast/partitioned.hpp"

#include "coll/nearest_first.hpp"
#include "p2p/shared_copy.hpp"

#include <algorithm>

namespace fmpl {
namespace {

// How many chunks, how long if there are more than two, and what of one is copied to one receiver after the other, from
// a near cache. The kernel copies all of it to one and then to the next: its calls weigh more.
constexpr std::size_t kLeastChunks = 2;
constexpr std::size_t kMostChunks = 8;
constexpr std::size_t kChunkBytes = 64 * 1024;
constexpr std::size_t kBlockBytes = 8 * 1024;

struct Chunks {
    explicit Chunks(std::size_t size)
        : count(std::clamp<std::size_t>(size / kChunkBytes, kLeastChunks, kMostChunks)),
          each((size / count + kLine) / kLine * kLine)
    {
    }
    std::uint64_t all() const { return (std::uint64_t{1} << count) - 1; }

    std::size_t count;
    std::size_t each;  // the last one is shorter
};

// What this rank does for all receivers that wait for a broadcast.
class ForAll {
public:
    ForAll(Meeting& m, std::uint64_t use, const RootBuffer& from)
        : m_(m),
          from_(from),
          chunks_(from.bytes),
          tag_(Reception::tag(use)),
          source_(m.node().private_memory.here(node_of(from.root), from.at))
    {
        for (int member = 0; member < m.size(); ++member) left_ |= wanted(member, left_of(member));
    }

    std::size_t chunks() const { return chunks_.count; }
    bool any_chunk_left() const { return left_ != 0; }
    // Copies a chunk to those that want it and that nobody else serves.
    void serve(std::size_t chunk)
    {
        const std::uint64_t bit = std::uint64_t{1} << chunk;
        if ((left_ & bit) == 0) return;
        served().clear();
        results().clear();
        for (int member = 0; member < m_.size(); ++member) {
            if (!claim(member, bit)) continue;
            served().push_back(member);
            results().push_back(m_.place(member, m_.station->reception(member).at));
        }
        if (served().empty()) return;  // others were faster
        const std::size_t first = chunk * chunks_.each;
        copy(first, std::min(first + chunks_.each, from_.bytes));
        tell_served();
    }

private:
    std::vector<int>& served() { return m_.broadcasts.served; }
    std::vector<Place>& results() { return m_.broadcasts.served_at; }
    int node_of(int member) const { return m_.members()[static_cast<std::size_t>(member)]; }
    // acquire: pairs with open_reception
    std::uint64_t left_of(int member) const
    {
        return m_.station->reception(member).left.load(std::memory_order_acquire);
    }
    // What the receiver still wants, if this rank can copy it; 0 when it does not wait for this broadcast. acquire:
    // pairs with open_reception.
    std::uint64_t wanted(int member, std::uint64_t left) const
    {
        const Reception& of = m_.station->reception(member);
        if ((left ^ tag_) >> 32 != 0 || of.bytes.load(std::memory_order_acquire) != from_.bytes) return 0;
        return source_ != nullptr || member == m_.rank() ? left & chunks_.all() : 0;
    }
    // Whether this rank is to copy the chunk to the receiver.
    bool claim(int member, std::uint64_t bit) const
    {
        std::atomic<std::uint64_t>& left = m_.station->reception(member).left;
        std::uint64_t seen = left_of(member);
        while ((wanted(member, seen) & bit) != 0) {
            // acquire: pairs with open_reception
            if (left.compare_exchange_weak(seen, seen & ~bit, std::memory_order_acquire, std::memory_order_acquire))
                return true;
        }
        return false;
    }
    void copy(std::size_t begin, std::size_t end)
    {
        bool by_kernel = source_ == nullptr;
        if (source_ != nullptr) m_.node().crossbar.map_pages(source_ + begin, end - begin);
        for (const Place& to : results()) {
            by_kernel = by_kernel || to.here == nullptr;
            if (to.here != nullptr) m_.node().crossbar.map_pages(to.here + begin, end - begin);
        }
        const std::size_t block = by_kernel ? end - begin : kBlockBytes;
        for (; begin < end; begin += block) {
            for (const Place& to : results()) copy_block(to, begin, std::min(block, end - begin));
        }
    }
    void copy_block(const Place& to, std::size_t begin, std::size_t n) const
    {
        const PrivateMemory& memory = m_.node().private_memory;
        if (source_ == nullptr) return memory.read(node_of(from_.root), from_.at + begin, to.here + begin, n);
        if (to.here == nullptr) return memory.write(to.node, to.at + begin, source_ + begin, n);
        copy_across(to.here + begin, source_ + begin, n);
    }
    void tell_served()
    {
        for (const int member : served()) {
            std::atomic<std::uint32_t>& done = m_.station->reception(member).done;
            // release: pairs with await_reception
            if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks_.count && member != m_.rank())
                m_.node().crossbar.wake_only(node_of(member));
        }
    }

    Meeting& m_;
    const RootBuffer& from_;
    const Chunks chunks_;
    const std::uint64_t tag_;
    const std::byte* const source_;  // nullptr: this rank reads it by the kernel
    std::uint64_t left_ = 0;         // chunks that somebody wants
};

}  // namespace

void open_reception(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    Reception& own = m.station->reception(m.rank());
    own.at = m.place_of(buffer, bytes);
    own.bytes.store(bytes, std::memory_order_release);  // after what close_reception did; pairs with wanted
    own.done.store(0, std::memory_order_relaxed);
    own.left.store(Reception::tag(use) | Chunks(bytes).all(), std::memory_order_release);  // pairs with left_of, claim
}

void close_reception(Meeting& m)
{
    m.station->reception(m.rank()).left.store(0, std::memory_order_relaxed);
}

void await_reception(Meeting& m, std::uint64_t use, const RootBuffer& from)
{
    const Reception& own = m.station->reception(m.rank());
    const Chunks chunks(from.bytes);
    m.node().wait(
        [&] {
            copy_for_all(m, use, from);
            return own.done.load(std::memory_order_acquire) == chunks.count;  // pairs with tell_served
        },
        m.waiting_for(from.root, from.bytes));
}

void copy_for_all(Meeting& m, std::uint64_t use, const RootBuffer& from)
{
    ForAll service(m, use, from);
    if (service.any_chunk_left())
        nearest_first(m.rank(), m.size(), service.chunks(), [&](std::size_t chunk) { service.serve(chunk); });
}

}  // namespace fmpl
