// Envelopes that the tests send: sealed, so that no byte can be wrong and none be taken for another's; and how they
// are sent, taken and counted.
#pragma once

#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace fmpl_test {

inline constexpr std::size_t kRing = 16384;  // bytes of bodies
inline constexpr std::size_t kLimit = kRing / 4;
inline constexpr int kCells = 256;  // of a ring, in jobs of up to 32 ranks

// The head of every envelope here. seal is a function of all the rest and of the pair, so that no byte can be wrong.
struct Head {
    std::uint64_t sequence = 0;
    std::uint64_t bytes = 0;
    std::uint64_t kind = 0;
    std::uint64_t words[2] = {};
    std::uint64_t seal = 0;
};
static_assert(sizeof(Head) == FMPL_ENVELOPE_HEAD);

inline std::uint64_t seal_of(const Head& head, int source, int destination)
{
    const auto pair = static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint64_t>(destination);
    return message_key(message_key(head.sequence, head.bytes, head.kind, pair), head.words[0], head.words[1]);
}

using Handler = std::function<void(int source, const Head& head, const void* body)>;

// Whether a handler finds the pattern, each part as soon as it is there.
inline bool comes_in_steps(const void* body, std::size_t bytes, std::uint64_t key)
{
    std::vector<unsigned char> taken(bytes);
    for (std::size_t at = 0; at < bytes;) {
        std::size_t there = 0;
        EXPECT_OK(fmpl_envelope_await_body(at + 1, &there));
        EXPECT_GT(there, at);
        there = std::min(std::max(there, at + 1), bytes);
        std::memcpy(taken.data() + at, static_cast<const unsigned char*>(body) + at, there - at);
        at = there;
    }
    return has_pattern(taken.data(), bytes, key);
}

// Checks that the envelope is what its source has sent, and hands it to the Handler at context.
inline int check_and_hand_on(void* context, int source, const void* at, const void* body, std::size_t bytes)
{
    Head head;
    std::memcpy(&head, at, sizeof head);
    EXPECT_EQ(head.seal, seal_of(head, source, rank())) << "from rank " << source;
    EXPECT_EQ(bytes, head.bytes);
    EXPECT_EQ(body == nullptr, bytes == 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(body) % 64, 0u);
    if (body != nullptr && bytes == head.bytes) {
        EXPECT_TRUE(
            bytes > FMPL_ENVELOPE_STEP ? comes_in_steps(body, bytes, head.seal) : has_pattern(body, bytes, head.seal))
            << bytes << " bytes from rank " << source;
    }
    (*static_cast<const Handler*>(context))(source, head, body);
    return 0;
}

// Takes what has come.
inline int poll(const Handler& handler)
{
    return fmpl_envelopes_poll(check_and_hand_on, const_cast<Handler*>(&handler));
}

// Waits until something has come, and takes it.
inline int wait_and_poll(const Handler& handler)
{
    return fmpl_envelopes_wait(check_and_hand_on, const_cast<Handler*>(&handler), nullptr);
}

inline int never_ready(void*)
{
    ADD_FAILURE() << "ready was called";
    return 1;
}

inline void wait_for(const std::function<bool()>& ready, const char* name = "wait_for")
{
    const fmpl_wait_words what{name, -1, -1, size(), 0, 0, 0};
    REQUIRE_OK(
        fmpl_wait_until([](void* context) { return (*static_cast<const std::function<bool()>*>(context))() ? 1 : 0; },
            const_cast<std::function<bool()>*>(&ready), &what));
}

inline bool try_send(int destination, Head head)
{
    head.seal = seal_of(head, rank(), destination);
    if (head.bytes == 0 && head.sequence % 2 == 0) {
        int sent = -1;
        EXPECT_OK(fmpl_envelope_send(destination, &head, &sent));
        return sent == 1;
    }
    if (head.bytes > FMPL_ENVELOPE_STEP || (head.bytes > 0 && head.sequence % 4 == 1)) {
        std::vector<unsigned char> own(head.bytes);
        fill_pattern(own.data(), own.size(), head.seal);
        int sent = -1;
        EXPECT_OK(fmpl_envelope_send_body(destination, &head, own.data(), own.size(), &sent));
        return sent == 1;
    }
    void* body = nullptr;
    if (fmpl_envelope_reserve(destination, head.bytes, &body) == 0) return false;
    if (head.bytes > 0) fill_pattern(body, head.bytes, head.seal);
    EXPECT_OK(fmpl_envelope_commit(destination, &head));
    return true;
}

// Sends, and takes what comes meanwhile, so that the receiver can be waiting for room as well.
inline void send(int destination, const Head& head, const Handler& handler)
{
    wait_for([&] {
        if (try_send(destination, head)) return true;
        poll(handler);
        return false;
    });
}

inline std::uint64_t random_bytes(std::mt19937_64& random)
{
    switch (random() % 4) {
        case 0:
            return 0;
        case 1:
            return random() % 200;
        case 2:
            return kLimit - random() % 3;
        default:
            return random() % (kLimit + 1);
    }
}

inline std::mt19937_64 own_random(std::uint64_t salt)
{
    return std::mt19937_64(message_key(seed(), salt, static_cast<std::uint64_t>(rank())));
}

// Counts what comes and checks the order of each source.
struct Ledger {
    std::vector<std::uint64_t> next = std::vector<std::uint64_t>(static_cast<std::size_t>(size()), 0);
    std::uint64_t all = 0;

    void note(int source, const Head& head)
    {
        EXPECT_EQ(head.sequence, next[static_cast<std::size_t>(source)]++) << "from rank " << source;
        ++all;
    }
    Handler handler()
    {
        return [this](int source, const Head& head, const void*) { note(source, head); };
    }
};

// Until so many envelopes have come: by either way to wait, in turn.
inline void wait_until_all(Ledger& ledger, std::uint64_t number)
{
    if (number % 2 == 0) {
        wait_for([&] {
            poll(ledger.handler());
            return ledger.all == number;
        });
    } else {
        while (ledger.all < number) REQUIRE_OK(wait_and_poll(ledger.handler()));
    }
}

}  // namespace fmpl_test
