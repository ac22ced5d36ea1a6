// MPI's rules of matching (MPI-3.1, section 3.5) as a model: which message each receive gets, or may get. Receives
// are in the order of their posting, messages in an order that keeps that of each source.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mpi_test {

inline constexpr int kAny = -1;

// Of a message, or what a receive asks for.
struct MatchKey {
    int comm;
    int receiver;
    int source;  // of a receive: or kAny
    int tag;     // likewise

    bool operator==(const MatchKey&) const = default;
    bool is_wildcard() const { return source == kAny || tag == kAny; }
    bool is_of_same_stream(const MatchKey& other) const
    {
        return comm == other.comm && receiver == other.receiver && source == other.source;
    }
    // Whether a receive takes a message; of two receives, whether there is a message that both do.
    bool takes(const MatchKey& other) const
    {
        const auto agree = [](int a, int b) { return a == b || a == kAny || b == kAny; };
        return comm == other.comm && receiver == other.receiver && agree(source, other.source) && agree(tag, other.tag);
    }
};

using Matches = std::vector<std::optional<std::size_t>>;  // of each receive the place of its message, if it gets one

// Where all receives are posted before the first message comes: each message goes to the first receive that takes it.
inline Matches messages_choose(std::span<const MatchKey> receives, std::span<const MatchKey> messages)
{
    Matches matches(receives.size());
    for (std::size_t m = 0; m < messages.size(); ++m) {
        for (std::size_t r = 0; r < receives.size(); ++r) {
            if (matches[r] || !receives[r].takes(messages[m])) continue;
            matches[r] = m;
            break;
        }
    }
    return matches;
}

// Where all messages have come before the first receive is posted, and wherever no two receives of different keys
// take the same message: each receive gets the first message that it takes.
inline Matches receives_choose(std::span<const MatchKey> receives, std::span<const MatchKey> messages)
{
    Matches matches(receives.size());
    std::vector<bool> taken(messages.size());
    for (std::size_t r = 0; r < receives.size(); ++r) {
        for (std::size_t m = 0; m < messages.size(); ++m) {
            if (taken[m] || !receives[r].takes(messages[m])) continue;
            matches[r] = m;
            taken[m] = true;
            break;
        }
    }
    return matches;
}

// The messages that a receive may get, whenever they come and receives are posted: all that it takes, or, where no
// wildcard takes any of these, the one whose turn it is.
inline std::vector<std::size_t> candidates(
    std::span<const MatchKey> receives, std::span<const MatchKey> messages, std::size_t receive)
{
    const MatchKey& own = receives[receive];
    const bool has_choice = std::any_of(receives.begin(), receives.end(),
        [&](const MatchKey& other) { return other.is_wildcard() && other.takes(own); });
    std::vector<std::size_t> possible;
    for (std::size_t m = 0; m < messages.size(); ++m) {
        if (own.takes(messages[m])) possible.push_back(m);
    }
    if (has_choice) return possible;
    const auto turn = static_cast<std::size_t>(
        std::count(receives.begin(), receives.begin() + static_cast<std::ptrdiff_t>(receive), own));
    return turn < possible.size() ? std::vector{possible[turn]} : std::vector<std::size_t>{};
}

}  // namespace mpi_test
