#include "mpi_shim/messenger/traffic_plan.hpp"

#include <array>
#include <map>
#include <utility>

namespace mpi_test {
namespace {

constexpr int kTags = 5;
constexpr std::size_t kMostBuffered = 20000;

std::size_t random_size(Random& random, bool many)
{
    static constexpr std::array<std::size_t, 31> kLimits = {0, 1, 8, 23, 24, 25, 63, 64, 65, 72, 73, 127, 128, 129,
        1023, 1024, 4095, 4096, 4097, 8192, 16383, 16384, 16385, 32768, 65535, 65536, 65537, 131072, 262143, 262145,
        300000};
    const std::uint64_t draw = random() % (many ? 9 : 12);
    if (draw < 3) return random() % 200;
    if (draw < 5) return kLimits[random() % (many ? 22 : kLimits.size())];
    if (draw < 7) return random() % 5000;
    if (draw < 9) return random() % 17000;
    return random() % (draw < 11 ? 70000 : 300000);
}

// Receives that are all posted before the first message is sent may be exact and by any tag, mixed, as long as each
// gets a message.
void mix_forms(Plan& plan, Random& random)
{
    std::vector<MatchKey> messages;
    std::vector<MatchKey> receives;
    for (std::size_t k = 0; k < plan.messages.size(); ++k) {
        plan.messages[k].any_source = false;
        plan.messages[k].any_tag = random() % 3 == 0;
        messages.push_back(plan.key_of_message(k));
        receives.push_back(plan.key_of_receive(k));
    }
    // Where one of a source's gets none, they are exact.
    const Matches matches = messages_choose(receives, messages);
    for (std::size_t k = 0; k < receives.size(); ++k) {
        if (matches[k]) continue;
        for (std::size_t other = 0; other < receives.size(); ++other) {
            if (messages[other].is_of_same_stream(messages[k])) plan.messages[other].any_tag = false;
        }
    }
}

// A receive that may get one of several messages has room for each of them; one that may get a single message may be
// too short.
void give_room(Plan& plan)
{
    std::vector<MatchKey> messages;
    std::vector<MatchKey> receives;
    for (std::size_t k = 0; k < plan.messages.size(); ++k) {
        messages.push_back(plan.key_of_message(k));
        receives.push_back(plan.key_of_receive(k));
    }
    for (std::size_t k = 0; k < receives.size(); ++k) {
        const std::vector<std::size_t> possible = candidates(receives, messages, k);
        if (possible.size() < 2) continue;
        std::size_t& room = plan.messages[k].room;
        for (const std::size_t message : possible) room = std::max(room, plan.messages[message].bytes);
    }
}

}  // namespace

Plan make_plan(Random& random, const std::vector<Group>& groups, int ranks)
{
    Plan plan;
    plan.order = static_cast<Order>(random() % 3);
    plan.key = random();
    plan.blocking_collectives = static_cast<int>(random() % 5);
    plan.started_collectives = static_cast<int>(random() % 4);
    // Rounds in which one pair has most of the messages fill its window and its channels.
    const bool one_pair = random() % 4 == 0;
    const std::uint64_t pair_draw = random();
    const bool long_ones = random() % 8 == 0;
    // Long ones as long as their receives, of which the source may be told ahead.
    const bool equal_ones = random() % 4 == 0;
    const std::size_t length = ranks > 7 ? 10 + random() % 30 : one_pair ? 100 + random() % 200 : 20 + random() % 80;
    std::map<std::pair<int, int>, std::uint64_t> forms;  // by group and destination
    std::vector<std::size_t> buffered(static_cast<std::size_t>(ranks));
    for (std::size_t k = 0; k < length; ++k) {
        PlannedMessage m{};
        m.group = static_cast<int>(random() % groups.size());
        const Group& group = groups[static_cast<std::size_t>(m.group)];
        const std::uint64_t ends = one_pair && random() % 8 != 0 ? pair_draw : random();
        m.source = static_cast<int>(ends % group.members.size());
        m.destination = static_cast<int>(ends / 64 % group.members.size());
        m.tag = static_cast<int>(random() % kTags);
        m.bytes = long_ones && random() % 2 == 0 ? 20000 + random() % 100000 : random_size(random, one_pair);
        m.mode = static_cast<Mode>(random() % 4);
        if (m.mode == Mode::ready && plan.order != Order::posted_first) m.mode = Mode::standard;
        if (m.mode == Mode::buffered) {
            std::size_t& used = buffered[static_cast<std::size_t>(group.members[static_cast<std::size_t>(m.source)])];
            if (m.bytes > kMostBuffered || used + m.bytes > kBufferBytes / 2) {
                m.mode = Mode::standard;
            } else {
                used += m.bytes + MPI_BSEND_OVERHEAD;
            }
        }
        auto& form = forms.try_emplace({m.group, m.destination}, random() % 8).first->second;
        m.any_source = form == 1 || form == 3;
        m.any_tag = form == 2 || form == 3;
        m.send_draw = random();
        m.receive_draw = random();
        m.room = m.bytes + (random() % 3 == 0 ? random() % 500 : 0);
        if (form > 3 && m.bytes > 0 && random() % 16 == 0) m.room = random() % m.bytes;
        if (equal_ones && m.mode != Mode::buffered && random() % 4 != 0) {
            m.bytes = m.room = random() % 2 == 0 ? 65536 : 70000;
        }
        plan.messages.push_back(m);
    }
    if (plan.order == Order::posted_first && random() % 2 == 0) mix_forms(plan, random);
    give_room(plan);
    return plan;
}

}  // namespace mpi_test
