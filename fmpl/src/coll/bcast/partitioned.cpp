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

}  // namespace

void open_reception(Meeting& m, std::uint64_t use, const std::byte* buffer, std::size_t bytes)
{
    Reception& own = m.station->reception(m.rank());
    own.at = m.place_of(buffer, bytes);
    own.bytes.store(bytes, std::memory_order_release);  // after what close_reception did; pairs with copy_for_all
    own.done.store(0, std::memory_order_relaxed);
    own.left.store(Reception::tag(use) | Chunks(bytes).all(), std::memory_order_release);  // pairs with copy_for_all
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
            return own.done.load(std::memory_order_acquire) == chunks.count;  // pairs with copy_for_all
        },
        m.waiting_for(from.root, from.bytes));
}

void copy_for_all(Meeting& m, std::uint64_t use, const RootBuffer& from)
{
    const Chunks chunks(from.bytes);
    std::vector<int>& served = m.broadcasts.served;
    std::vector<Place>& results = m.broadcasts.served_at;
    const PrivateMemory& memory = m.node().private_memory;
    const auto node_of = [&](int member) { return m.members()[static_cast<std::size_t>(member)]; };
    const std::byte* const source = memory.here(node_of(from.root), from.at);
    const std::uint64_t tag = Reception::tag(use);
    Station& station = *m.station;
    // What the receiver still wants, if this rank can copy it; 0 when it does not wait for this broadcast. acquire:
    // pairs with open_reception.
    const auto wanted = [&](int member, std::uint64_t left) {
        const Reception& of = station.reception(member);
        if ((left ^ tag) >> 32 != 0 || of.bytes.load(std::memory_order_acquire) != from.bytes) return std::uint64_t{0};
        return source != nullptr || member == m.rank() ? left & chunks.all() : 0;
    };
    std::uint64_t left = 0;
    for (int member = 0; member < m.size(); ++member) {
        left |= wanted(
            member, station.reception(member).left.load(std::memory_order_acquire));  // pairs with open_reception
    }
    const auto copy_block = [&](const Place& to, std::size_t begin, std::size_t n) {
        if (source == nullptr) return memory.read(node_of(from.root), from.at + begin, to.here + begin, n);
        if (to.here == nullptr) return memory.write(to.node, to.at + begin, source + begin, n);
        copy_across(to.here + begin, source + begin, n);
    };
    const auto copy = [&](std::size_t chunk) {
        const std::uint64_t bit = std::uint64_t{1} << chunk;
        if ((left & bit) == 0) return;
        served.clear();
        results.clear();
        bool by_kernel = source == nullptr;
        for (int member = 0; member < m.size(); ++member) {
            Reception& of = station.reception(member);
            std::uint64_t seen = of.left.load(std::memory_order_acquire);  // pairs with open_reception
            while ((wanted(member, seen) & bit) != 0) {
                // acquire: pairs with open_reception
                if (!of.left.compare_exchange_weak(
                        seen, seen & ~bit, std::memory_order_acquire, std::memory_order_acquire))
                    continue;
                served.push_back(member);
                results.push_back(m.place(member, of.at));
                by_kernel = by_kernel || results.back().here == nullptr;
                break;
            }
        }
        if (served.empty()) return;  // others were faster
        const std::size_t first = chunk * chunks.each, end = std::min(first + chunks.each, from.bytes);
        if (source != nullptr) m.node().crossbar.map_pages(source + first, end - first);
        for (const Place& to : results) {
            if (to.here != nullptr) m.node().crossbar.map_pages(to.here + first, end - first);
        }
        const std::size_t block = by_kernel ? end - first : kBlockBytes;
        for (std::size_t begin = first; begin < end; begin += block) {
            for (const Place& to : results) copy_block(to, begin, std::min(block, end - begin));
        }
        for (const int member : served) {
            Reception& of = station.reception(member);
            // release: pairs with await_reception
            if (of.done.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks.count && member != m.rank())
                m.node().crossbar.wake_only(node_of(member));
        }
    };
    if (left == 0) return;
    nearest_first(m.rank(), m.size(), chunks.count, copy);
}

}  // namespace fmpl
