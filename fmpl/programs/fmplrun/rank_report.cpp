#include "rank_report.hpp"

#include "printable.hpp"

#include "crossbar/byte_words.hpp"

#include <cstring>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace fmpl::launcher {
namespace {

constexpr double kSeconds = 1e-9;

// "to" or "from", empty for a call that is neither a send nor a receive.
std::string_view direction_of(Call call)
{
    switch (call) {
        case Call::send:
        case Call::isend:
        case Call::isend_wait:
        case Call::send_any:
            return "to";
        case Call::recv:
        case Call::irecv:
        case Call::irecv_wait:
        case Call::recv_any:
            return "from";
        default:
            return "";
    }
}

// The same by the name that a layer above gives its call: MPI_Ssend, MPI_Recv, MPI_Probe. One that does both, as
// MPI_Sendrecv, has none.
std::string_view direction_of(std::string_view name)
{
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    const bool sends = has("Send") || has("send");
    const bool receives = has("Recv") || has("recv") || has("Probe") || has("probe");
    return sends == receives ? "" : sends ? "to" : "from";
}

std::string peer_words(std::string_view direction, int peer)
{
    if (direction.empty()) return peer < 0 ? "" : fmt::format(", waiting for rank {}", peer);
    return peer < 0 ? fmt::format(" {} any rank", direction) : fmt::format(" {} rank {}", direction, peer);
}

}  // namespace

std::string describe_state(const NodeRecord& node, SpokenLibrary spoken, std::uint64_t now_ns)
{
    const BlockedIn& blocked = node.blocked_in;
    const auto call = static_cast<Call>(blocked.call.load(std::memory_order_relaxed));
    if (call != Call::none) {
        const std::string layers_name = printable(blocked.words());
        const bool own = layers_name.empty();  // a call of FMPL's own
        const bool layers_wait = call == Call::wait_until || call == Call::envelopes_wait;
        const bool within = !own && !layers_wait;  // a call of FMPL's that the layer's has made
        const std::string_view direction = own || within ? direction_of(call) : direction_of(layers_name);
        std::string words =
            fmt::format("blocked in {}{}{}", own ? spoken_name(spoken, call_name(call)) : layers_name.c_str(),
                within ? fmt::format(" ({})", call_name(call)) : "",
                peer_words(direction, blocked.peer.load(std::memory_order_relaxed)));
        const int index = blocked.index.load(std::memory_order_relaxed);
        if (own && !direction.empty()) {
            words += index < 0 ? ", any index" : fmt::format(", index {}", index);
        } else if (!own && !within && index >= 0) {
            words += fmt::format(", index {}", index);
        }
        if (const auto bytes = blocked.bytes.load(std::memory_order_relaxed); bytes > 0)
            words += fmt::format(", {}", short_bytes(bytes));
        const auto members = blocked.comm_size.load(std::memory_order_relaxed);
        if (members > 0) words += fmt::format(", in a communicator of {} rank{}", members, members == 1 ? "" : "s");
        const auto since = blocked.since_ns.load(std::memory_order_relaxed);
        if (since > 0 && since <= now_ns) {
            words += fmt::format(", for {:.1f} s", static_cast<double>(now_ns - since) * kSeconds);
        }
        return words;
    }
    switch (static_cast<RankState>(node.state.load(std::memory_order_acquire))) {
        case RankState::absent:
            return fmt::format("has not called {}", calls_of(spoken).joins);
        case RankState::attached:
            return fmt::format("computing, has not called {} or is in it", calls_of(spoken).joins);
        case RankState::ready:
            return "computing (not blocked in FMPL)";
        case RankState::finalized:
            return "finalized";
    }
    return "in an unknown state";
}

std::string list_ranks(const std::vector<RankLine>& ranks)
{
    constexpr std::size_t all_of = 64;
    constexpr std::size_t listed_of_a_kind = 8;
    struct Kind {
        std::size_t ranks = 0;
        int first = 0;
    };
    std::map<std::string, Kind> kinds;
    std::string text;
    for (const RankLine& line : ranks) {
        std::string name = line.words;
        std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
        Kind& kind = kinds[name];
        if (kind.ranks++ == 0) kind.first = line.rank;
        if (ranks.size() > all_of && kind.ranks > listed_of_a_kind) continue;
        text += fmt::format("  rank {} (pid {}): {}\n", line.rank, line.pid, line.words);
    }
    for (const auto& [name, kind] : kinds) {
        if (ranks.size() <= all_of || kind.ranks <= listed_of_a_kind) continue;
        const std::size_t more = kind.ranks - listed_of_a_kind;
        text += fmt::format("  and {} rank{} more as rank {}\n", more, more == 1 ? "" : "s", kind.first);
    }
    return text;
}

std::string abort_reason(const NodeRecord& node)
{
    return printable({node.abort_reason, strnlen(node.abort_reason, sizeof node.abort_reason)});
}

}  // namespace fmpl::launcher
