#include "coll/bcast/uses.hpp"

#include <algorithm>

namespace fmpl {

std::uint64_t begin_use(Meeting& m, std::size_t ahead, const WaitFor& what)
{
    const std::uint64_t use = m.broadcasts.uses++;
    if (use >= ahead) await_left(m, use + 1 - ahead, use + 1 - ahead / 2, what);
    return use;
}

// What was seen last mostly tells.
bool all_have_left(Meeting& m, std::uint64_t uses)
{
    BroadcastState& state = m.broadcasts;
    if (state.left >= uses) return true;
    std::uint64_t least = ~std::uint64_t{0};
    int member = state.behind;
    for (int i = 0; i < m.size(); ++i, ++member) {
        if (member == m.size()) member = 0;
        if (member == m.rank()) continue;
        // acquire: pairs with leave_broadcast
        const std::uint64_t left = m.station->broadcasts_left(member).load(std::memory_order_acquire);
        if (left < uses) {
            state.behind = member;
            return false;
        }
        least = std::min(least, left);
    }
    state.left = least;
    return true;
}

void await_left(Meeting& m, std::uint64_t uses, std::uint64_t enough, const WaitFor& what)
{
    if (all_have_left(m, uses)) return;
    struct Waiting {
        explicit Waiting(std::atomic<std::uint32_t>& roots) : count(roots)
        {
            count.fetch_add(1, std::memory_order_relaxed);
        }
        ~Waiting() { count.fetch_sub(1, std::memory_order_relaxed); }
        std::atomic<std::uint32_t>& count;
    } const waiting(m.station->waiting_roots);
    m.node().wait([&] { return all_have_left(m, enough); }, what);
}

}  // namespace fmpl
