// Both ends of a ring of bodies beside each other: where bodies lie, and what each end knows of the other.
#include "p2p/envelopes/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace {

using namespace fmpl;

// A ring whose source and destination take turns in this thread.
class Ring {
public:
    // has_short_laps: as on AMD's processors.
    explicit Ring(std::size_t body_bytes, bool has_short_laps = false, bool share_cpus = false)
        : sizes_(sizes(body_bytes, has_short_laps, share_cpus)),
          lines_(sizes_.body_lines),
          from_{nullptr, lines_.data(), kNoOffset}
    {
        to_.credit = &credit_;
    }

    const RingSizes& sizes() const { return sizes_; }
    std::size_t under_way() const { return under_way_.size(); }

    // Sends one, if there is room for it; asks: it is a question. Fails where it lies on a body that is under way.
    bool send(std::size_t bytes, bool asks, bool is_copied = true)
    {
        const std::uint32_t next = to_.next_line;
        to_.is_copied = is_copied;
        if (bytes == 0) {
            if (!to_.has_room(sizes_, 0)) return false;
            to_.without_body();
        } else if (!to_.reserve_body(sizes_, bytes)) {
            return false;
        }
        const Body body{to_.body_at, to_.body_bytes};
        EXPECT_LE(body.end(), sizes_.body_lines);
        for (const Body& other : under_way_) {
            EXPECT_TRUE(body.bytes == 0 || other.bytes == 0 || body.end() <= other.at || other.end() <= body.at)
                << "lines " << body.at << " to " << body.end() << " are used from " << other.at << " to "
                << other.end();
        }
        ++to_.sent;
        if (asks) {
            to_.ask();
            question_ = to_.sent;
        }
        jumps_ += body.at > next ? 1 : 0;
        to_.use_lines(sizes_);
        under_way_.push_back(body);
        return true;
    }

    // The destination takes the next one, and returns a credit if it owes one.
    void take()
    {
        EnvelopeCell cell{};
        cell.body_at = under_way_.front().at;
        cell.body_bytes = under_way_.front().bytes;
        const EnvelopeBody body = from_.take_body(sizes_, cell);
        EXPECT_EQ(body.bytes, under_way_.front().bytes);
        under_way_.pop_front();
        const auto number = static_cast<std::uint32_t>(++taken_);
        if (!from_.owes_credit(sizes_, number)) return;
        from_.returned = number;
        from_.lines_returned = from_.lines_taken;
        credit_.store(EnvelopeCount::make(number, from_.lines_taken));
    }

    // The source learns that its last question has been taken, if it has.
    void answer()
    {
        if (question_ != 0 && taken_ >= question_) to_.was_answered();
    }

    void expect_that_both_ends_agree() const
    {
        EXPECT_EQ(to_.lines_sent, from_.lines_taken);
        EXPECT_EQ(to_.next_line, from_.next_line);
    }
    std::uint32_t last_place() const { return to_.body_at; }
    // Bodies that others under way were gone around for.
    int jumps() const { return jumps_; }
    // Of as many lines.
    void pretend_to_have_sent(std::uint64_t number)
    {
        to_.sent = taken_ = number;
        const auto count = static_cast<std::uint32_t>(number);
        to_.taken = from_.returned = count;
        to_.lines_sent = to_.lines_taken = to_.lap = to_.lap_before = from_.lines_taken = from_.lines_returned = count;
        credit_.store(EnvelopeCount::make(count, count));
    }

private:
    struct Body {
        std::uint32_t at;
        std::uint32_t bytes;
        std::uint32_t end() const { return at + RingSizes::lines_of(bytes); }
    };

    static RingSizes sizes(std::size_t body_bytes, bool has_short_laps, bool share_cpus)
    {
        RingSizes of_both = RingSizes::of(2, body_bytes, share_cpus);
        of_both.in_short_lap = has_short_laps ? RingSizes::lines_of(8 * 1024) : 0;
        return of_both;
    }

    RingSizes sizes_;
    std::vector<BodyLine> lines_;
    std::atomic<std::uint64_t> credit_{0};
    OutgoingRing to_;
    IncomingRing from_;
    std::deque<Body> under_way_;
    std::uint64_t question_ = 0;
    std::uint64_t taken_ = 0;
    int jumps_ = 0;
};

TEST(EnvelopeRing, NoBodyLiesOnOneThatIsUnderWay)
{
    std::mt19937 random(7);
    const auto any = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
    for (const std::size_t body_bytes : {256u, 1024u, 4096u, 65536u, 262144u}) {
        for (const int form : {0, 1, 2, 3}) {
            const bool share_cpus = form / 2 == 1;
            const std::uint64_t first = form % 2 == 0 ? 0 : (std::uint64_t{1} << 32) - 500;
            Ring ring(body_bytes, true, share_cpus);
            ring.pretend_to_have_sent(first);
            const std::size_t limit = ring.sizes().body_limit();
            std::size_t sent = 0;
            for (int step = 0; step < 40000; ++step) {
                // Phases in which each message is answered, others in which a few are under way, or the source runs
                // ahead; bodies of any length, and those of which a lap may end early.
                constexpr std::size_t kAhead[] = {1, 3, 40};
                const std::size_t ahead = kAhead[step / 50 % 3];
                const std::size_t most = any(step / 5000 % 2 == 0 ? 1 : 20) == 0 ? limit : limit / 8;
                if (ring.under_way() < ahead && ring.send(any(most), any(2) == 0, any(3) > 0)) ++sent;
                if (ring.under_way() > 0 && any(1) == 0) ring.take();
                if (any(2) == 0) ring.answer();
                if (ring.under_way() == 0) ring.expect_that_both_ends_agree();
                ASSERT_FALSE(HasFailure()) << "step " << step;
            }
            EXPECT_GT(sent, 4000u);
            EXPECT_TRUE(body_bytes < 262144u || ring.jumps() > 0);
        }
    }
}

TEST(EnvelopeRing, ShortBodiesThatAreAnsweredLieInTheSamePlace)
{
    Ring ring(256 * 1024);
    for (int turn = 0; turn < 1000; ++turn) {
        ASSERT_TRUE(ring.send(500, true));
        ASSERT_EQ(ring.last_place(), 0u);
        ring.take();
        ring.answer();
    }
    // Of a stream each lies behind the last one.
    ASSERT_TRUE(ring.send(500, false));
    ASSERT_TRUE(ring.send(500, false));
    EXPECT_EQ(ring.last_place(), RingSizes::lines_of(500));
}

// Each of two ranks sends one when it has what the other has sent, and learns by the next that its last one has come.
TEST(EnvelopeRing, ShortBodiesOfRanksThatSendAtTheSameTimeStayInAShortLap)
{
    Ring ring(256 * 1024, true);
    for (int turn = 0; turn < 1000; ++turn) {
        ASSERT_TRUE(ring.send(2000, turn % 2 == 0));
        ASSERT_LE(ring.last_place(), RingSizes::lines_of(16 * 1024 + 2 * 2000));
        if (turn > 0) ring.take();
        ring.answer();
    }
}

TEST(EnvelopeRing, LongBodiesThatAreAnsweredLieOneBehindTheOther)
{
    Ring ring(256 * 1024);
    const std::size_t bytes = longest_in_one_place() + 1;
    for (std::uint32_t turn = 0; turn < 10; ++turn) {
        ASSERT_TRUE(ring.send(bytes, true));
        ASSERT_EQ(ring.last_place(), turn * RingSizes::lines_of(bytes));
        ring.take();
        ring.answer();
    }
}

TEST(EnvelopeRing, OfRanksThatShareCpusLongOnesThatAreAnsweredLieInTheSamePlace)
{
    Ring ring(256 * 1024, false, true);
    for (int turn = 0; turn < 10; ++turn) {
        ASSERT_TRUE(ring.send(ring.sizes().body_limit(), true));
        ASSERT_EQ(ring.last_place(), 0u);
        ring.take();
        ring.answer();
    }
}

// A source that asked long ago and has sent very many since does not take back what it knows.
TEST(EnvelopeRing, AnAnswerToAnOldQuestionTellsNothing)
{
    Ring ring(4096);
    ASSERT_TRUE(ring.send(0, true));
    ring.take();
    ring.pretend_to_have_sent((std::uint64_t{1} << 31) + 10);
    ring.answer();
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(ring.send(100, false)) << i;
        ring.take();
    }
}

}  // namespace
