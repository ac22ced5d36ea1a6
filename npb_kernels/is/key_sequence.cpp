#include "key_sequence.hpp"

#include "../common/random.hpp"

#include <array>

namespace fmpl::npb::is {

void make_keys(std::span<Key> keys, std::int64_t first, int max_key_log2)
{
    // The four numbers of a key by four generators that each advance by four, so that their multiplications overlap.
    constexpr std::size_t kSummands = 4;
    constexpr std::uint64_t kAdvance = Random::power(Random::kMultiplier, kSummands);
    Random random;
    random.jump(kSummands * static_cast<std::uint64_t>(first));
    std::array<std::uint64_t, kSummands> states;
    for (std::uint64_t& state : states) {
        random.next();
        state = random.state();
    }
    // A sum of the states is below 4 * 2^46: its highest bits are the key.
    const int shift = 48 - max_key_log2;
    for (Key& key : keys) {
        std::uint64_t sum = 0;
        for (std::uint64_t& state : states) {
            sum += state;
            state = Random::times(state, kAdvance);
        }
        key = static_cast<Key>(sum >> shift);
    }
}

}  // namespace fmpl::npb::is
