#include "coll/bcast/partitioned.hpp"

#include "coll/nearest_first.hpp"
#include "p2p/shared_copy.hpp"

#include <algorithm>

namespace fmpl {
namespace {

// How many chunks, how long at least, and what of one is copied to one receiver after the other, from a near cache.
constexpr std::size_t kMostChunks = 8;
constexpr std::size_t kPartitionChunk = 16 * 1024;
constexpr std::size_t kBlockBytes = 8 * 1024;

struct Chunks {
    explicit Chunks(std::size_t size)
        : count(std::clamp<std::size_t>(size / kPartitionChunk, 1, kMostChunks)),
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
    own.at = m.node().crossbar.offset_of(buffer);
    own.bytes.store(bytes, std::memory_order_release);  // after what close_reception did; pairs with copy_for_all
    own.done.store(0, std::memory_order_relaxed);
    own.left.store(Reception::tag(use) | Chunks(bytes).all(), std::memory_order_release);  // pairs with copy_for_all
}

void close_reception(Meeting& m)
{
    m.station->reception(m.rank()).left.store(0, std::memory_order_relaxed);
}

void await_reception(Meeting& m, std::uint64_t use, const std::byte* from, std::size_t bytes, int root)
{
    const Reception& own = m.station->reception(m.rank());
    const Chunks chunks(bytes);
    m.node().wait(
        [&] {
            copy_for_all(m, use, from, bytes);
            return own.done.load(std::memory_order_acquire) == chunks.count;  // pairs with copy_for_all
        },
        m.waiting_for(root, bytes));
}

void copy_for_all(Meeting& m, std::uint64_t use, const std::byte* from, std::size_t bytes)
{
    const Chunks chunks(bytes);
    std::vector<int>& served = m.broadcasts.served;
    std::vector<std::byte*>& results = m.broadcasts.served_at;
    const std::uint64_t tag = Reception::tag(use);
    Station& station = *m.station;
    // What the receiver still wants; 0 when it does not wait for this broadcast. acquire: pairs with open_reception.
    const auto wanted = [&](const Reception& of, std::uint64_t left) {
        return (left ^ tag) >> 32 == 0 && of.bytes.load(std::memory_order_acquire) == bytes ? left & chunks.all() : 0;
    };
    std::uint64_t left = 0;
    for (int member = 0; member < m.size(); ++member) {
        const Reception& of = station.reception(member);
        left |= wanted(of, of.left.load(std::memory_order_acquire));  // pairs with open_reception
    }
    const auto copy = [&](std::size_t chunk) {
        const std::uint64_t bit = std::uint64_t{1} << chunk;
        if ((left & bit) == 0) return;
        served.clear();
        results.clear();
        for (int member = 0; member < m.size(); ++member) {
            Reception& of = station.reception(member);
            std::uint64_t seen = of.left.load(std::memory_order_acquire);  // pairs with open_reception
            while ((wanted(of, seen) & bit) != 0) {
                // acquire: pairs with open_reception
                if (!of.left.compare_exchange_weak(
                        seen, seen & ~bit, std::memory_order_acquire, std::memory_order_acquire))
                    continue;
                served.push_back(member);
                results.push_back(m.node().crossbar.mapped(m.members()[static_cast<std::size_t>(member)], of.at));
                break;
            }
        }
        if (results.empty()) return;  // others were faster
        const std::size_t first = chunk * chunks.each, end = std::min(first + chunks.each, bytes);
        m.node().crossbar.map_pages(from + first, end - first);
        for (std::byte* const to : results) m.node().crossbar.map_pages(to + first, end - first);
        for (std::size_t begin = first; begin < end; begin += kBlockBytes) {
            const std::size_t n = std::min(kBlockBytes, end - begin);
            for (std::byte* const to : results) copy_across(to + begin, from + begin, n);
        }
        for (const int member : served) {
            Reception& of = station.reception(member);
            // release: pairs with await_reception
            if (of.done.fetch_add(1, std::memory_order_acq_rel) + 1 == chunks.count && member != m.rank())
                m.node().crossbar.wake(m.members()[static_cast<std::size_t>(member)]);
        }
    };
    if (left == 0) return;
    nearest_first(m.rank(), m.size(), chunks.count, copy);
}

}  // namespace fmpl
