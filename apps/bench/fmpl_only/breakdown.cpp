// The parts of one message (paper, table 1), by the processor's cycle counter, from outside of the library's calls.
//
// The two ranks exchange messages as in `latency`: each waits in its receive, posts its next receive where that sends
// a header, and sends at once, so that lines of memory move between the cores as they do there. In a second exchange
// a rank receives only kLate_ns after its message has come; it gives the parts marked (late). Times are differences
// of readings of the counter around one call, less what a reading costs. A figure is the mean over the two directions
// of the medians over a batch.
//
//   init             fmpl_comm_world_rank, which is entered as any call is, checks communicator and rank, and does
//                    nothing else; part of the calls below (late)
//   receive header   load of a line that the other rank has written as a receive does its header (one line in the
//                    memory of the sender), and that this rank has not seen since (late)
//   send message     fmpl_send, the receive being posted, without init and receive header (of short messages: late)
//   flight           from the return of fmpl_send to that of the waiting fmpl_irecv_wait or fmpl_recv
//   send header      fmpl_irecv without init
//   receive message  the receiving call without init where the message came before it (late)
//
// Init, receive header, send message and flight add up to the one-way time, from the entry of fmpl_send to the return
// of the waiting receive. A header is on its way before the message is sent, so sending it does not count there; and
// the receiver's share of a flight is that of a waiting rank, while receive message is what a rank pays that comes
// late: it fetches the lines then. Both contain a passage of the message's line from core to core.
//
// Messages of up to kNoHeader bytes travel in the lane or in the completion flag: they have no header, are received by
// fmpl_recv, and the two columns of the header say "none". Longer ones are received by fmpl_irecv and fmpl_irecv_wait.
//
// With short messages the counter is read after fmpl_send alone: were it read between a receive and the answer, the
// other rank would look once more meanwhile and take the line of the lane back, which doubles the time of 8 bytes.
// There the one-way time is that from the return of one rank's fmpl_send to the return of the other's, which answers;
// and the flight is what fmpl_send leaves of it. Of long messages, flights are measured themselves. Where both ranks
// copy, from 64 KiB on, a flight may be below zero: the receiver returns first.
//
// A flight begins on one core's counter and ends on the other's. In the mean of the two directions a difference of the
// counters cancels out; a ping-pong of stamped lines shows how large it can be at most.
#include "benchmarks.hpp"
#include "cycle_counter.hpp"
#include "peer_room.hpp"
#include "../message_memory.hpp"
#include "../polling.hpp"
#include "../report.hpp"

#include <fmpl/groups.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace fmpl::bench {
namespace {

constexpr std::size_t kNoHeader = 72;  // fmpl.h says so of fmpl_send
constexpr int kIndex = 0;
constexpr int kCountsIndex = 1;  // counts of the other rank, for the first one
constexpr double kLate_ns = 1000;
constexpr std::size_t kStampedTrips = 10'000;

enum Part { kInit, kReceiveHeader, kSendMessage, kFlight, kSendHeader, kReceiveMessage, kParts };
constexpr std::size_t kPartsOfOneWay = kFlight + 1;

struct PartWords {
    const char* key;
    const char* column;
    const char* definition;
};
constexpr PartWords kWords[kParts] = {
    {"init", "init", "entering a call and checking its arguments, in each of the calls below"},
    {"receive_header", "recv header", "sender: loading the line of a header that the receiver has written"},
    {"send_message", "send msg", "sender: the rest of fmpl_send, the receive being posted"},
    {"flight", "flight", "from the return of fmpl_send to that of the receive that waits for it"},
    {"send_header", "send header", "receiver: fmpl_irecv without init; it precedes the message, hence not in one-way"},
    {"receive_message", "recv msg",
        "receiver that comes late: the receiving call without init, the message being there; instead of flight"},
};

// Counts of each part; nothing where the message does without it.
using Parts = std::array<std::optional<double>, kParts>;

double one_way(const Parts& parts)
{
    double sum = 0;
    for (std::size_t i = 0; i < kPartsOfOneWay; ++i) sum += parts[i].value_or(0);
    return sum;
}

// What both ranks have in remote-DMA memory, before their buffers.
struct SharedLines {
    LineForBoth both;  // the first rank's is used
    std::byte before[64];
    alignas(64) std::atomic<std::uint64_t> header[8];  // as a posted receive's: written by the other rank
    std::byte behind[64];
};

template <class Counter>
class Exchange {
public:
    // memory: memory_bytes(bytes) of this rank's own remote-DMA memory, zeros. Collective over the job; throws
    // std::runtime_error on all ranks where a rank does not address its partner's memory.
    Exchange(const Pairing& pairing, std::size_t bytes, std::byte* memory, bool yield, double counts_per_ns,
        const char* benchmark)
        : pairing_(pairing),
          bytes_(bytes),
          peer_(pairing.peer()),
          first_(pairing.first()),
          yield_(yield),
          late_counts_(static_cast<std::uint64_t>(kLate_ns * counts_per_ns)),
          sent_(memory + sizeof(SharedLines)),
          received_(sent_ + buffer_bytes(bytes))
    {
        std::byte* const room = room_at_peer(pairing, memory, sizeof(SharedLines), benchmark);
        if (!pairing.takes_part()) return;
        auto* const mine = reinterpret_cast<SharedLines*>(memory);
        auto* const theirs = reinterpret_cast<SharedLines*>(room);
        LineForBoth& line = first_ ? mine->both : theirs->both;
        own_ = &line.steps[first_ ? 0 : 1];
        other_ = &line.steps[first_ ? 1 : 0];
        header_line_ = mine->header;
        header_line_there_ = theirs->header;
        fill_pattern(sent_, bytes_, seed(first_));
    }

    static std::size_t memory_bytes(std::size_t bytes) { return sizeof(SharedLines) + 2 * buffer_bytes(bytes); }

    // The counter of the other rank minus that of the first one lies between these two, on the first rank; by stamped
    // lines that go to and fro.
    std::pair<double, double> bounds_of_difference()
    {
        std::vector<std::uint64_t> stamps(kStampedTrips), before(kStampedTrips), after(kStampedTrips);
        for (std::size_t i = 0; i < kStampedTrips; ++i) {
            if (first_) {
                before[i] = Counter::now();
                raise();
                await();
                after[i] = Counter::now();
            } else {
                await();
                stamps[i] = Counter::now();
                raise();
            }
        }
        to_first(stamps);
        double least = -HUGE_VAL, most = HUGE_VAL;
        for (std::size_t i = 0; first_ && i < kStampedTrips; ++i) {
            least = std::max(least, difference(stamps[i], after[i]));
            most = std::min(most, difference(stamps[i], before[i]));
        }
        return {least, most};
    }

    // Round trips with a receiver that waits, then as many with one that comes late. On the first rank, their parts.
    Parts measure(std::uint64_t count)
    {
        exchange_waiting(count);
        exchange_late(count);

        enum { nothing, init, header, late, send, post };
        std::vector<double> mine = {median(nothing_), median(init_), median(header_), median(late_)};
        if (has_header()) {
            mine.push_back(median_of(trips_, [](const Trip& t) { return t.sent - t.sending; }));
            mine.push_back(median_of(trips_, [](const Trip& t) { return t.sending - t.posting; }));
        } else {
            mine.insert(mine.end(), {median(send_), 0.0});
        }
        std::vector<double> theirs = mine;
        std::vector<Trip> trips_there = trips_;
        to_first(theirs);
        to_first(trips_there);
        if (!first_) return {};

        const auto of_both = [&](std::size_t i) { return (mine[i] + theirs[i]) / 2; };
        const double entry = of_both(init);
        Parts parts;
        parts[kInit] = entry - of_both(nothing);
        if (has_header()) {
            parts[kReceiveHeader] = of_both(header) - of_both(nothing);
            parts[kSendHeader] = of_both(post) - entry;
        }
        parts[kSendMessage] = of_both(send) - entry - parts[kReceiveHeader].value_or(0);
        parts[kReceiveMessage] = of_both(late) - entry;

        std::vector<double> there, back;
        for (std::size_t i = 0; i < count; ++i) {
            if (has_header()) {
                there.push_back(difference(trips_there[i].received, trips_[i].sent));
                back.push_back(difference(trips_[i].received, trips_there[i].sent));
            } else {
                there.push_back(difference(trips_there[i].sent, trips_[i].sent));
                back.push_back(difference(trips_[i + 1].sent, trips_there[i].sent));
            }
        }
        const double mean = (median(there) + median(back)) / 2;
        parts[kFlight] = has_header() ? mean : mean - (of_both(send) - of_both(nothing));
        return parts;
    }

    // Whether a message of each way arrives as it was sent.
    bool verify()
    {
        if (!pairing_.takes_part()) return true;
        std::memset(received_, 0, bytes_);
        exchange_waiting(1);
        return has_pattern(received_, bytes_, seed(!first_));
    }

private:
    // Counts at this rank's part of a round trip.
    struct Trip {
        std::uint64_t posting, sending, sent, received;
    };

    bool has_header() const { return bytes_ > kNoHeader; }
    static std::size_t buffer_bytes(std::size_t bytes) { return BufferPool(bytes, 0, 1).total_bytes(); }
    static std::uint64_t seed(bool of_first) { return of_first ? 1 : 2; }
    static double difference(std::uint64_t a, std::uint64_t b)
    {
        return static_cast<double>(static_cast<std::int64_t>(a - b));
    }
    static double median(const std::vector<double>& counts) { return summarize(counts).median; }
    template <class F>
    static double median_of(const std::vector<Trip>& trips, const F& counts_of)
    {
        std::vector<double> counts;
        for (const Trip& trip : trips) counts.push_back(static_cast<double>(counts_of(trip)));
        return median(counts);
    }

    // One round trip more than `count`. The first rank sends first; what a rank receives next it posts before it sends.
    void exchange_waiting(std::uint64_t count)
    {
        trips_.assign(count + 1, {});
        if (!first_) post();
        pairing_.group().barrier();
        if (!has_header()) {
            for (Trip& trip : trips_) {
                if (!first_) receive();
                transport::send(sent_, bytes_, peer_, kIndex);
                trip.sent = Counter::now();
                if (first_) receive();
            }
            return;
        }
        std::uint64_t now = Counter::now();
        for (std::uint64_t i = 0; i <= count; ++i) {
            Trip& trip = trips_[i];
            if (!first_) {
                receive();
                trip.received = now = Counter::now();
            }
            trip.posting = now;
            if (first_ || i < count) post();
            trip.sending = Counter::now();
            transport::send(sent_, bytes_, peer_, kIndex);
            trip.sent = Counter::now();
            if (first_) {
                receive();
                trip.received = now = Counter::now();
            }
        }
    }

    // A rank receives only kLate_ns after the other one has said that it has sent.
    void exchange_late(std::uint64_t count)
    {
        for (std::vector<double>* of_one : {&nothing_, &init_, &header_, &late_, &send_}) of_one->clear();
        if (!first_) post();
        pairing_.group().barrier();
        for (std::uint64_t i = 0; i < count; ++i) {
            if (!first_) receive_late();
            if (first_ || i + 1 < count) post();
            int world_rank = 0;
            add({&nothing_, &init_, &send_},
                {Counter::now(), Counter::now(),
                    counted([&] { transport::check(fmpl_comm_world_rank(FMPL_COMM_WORLD, peer_, &world_rank)); }),
                    counted([&] { transport::send(sent_, bytes_, peer_, kIndex); })});
            write_header();
            raise();
            if (first_) receive_late();
        }
    }

    void receive_late()
    {
        await();
        const std::uint64_t begin = Counter::now();
        while (Counter::now() - begin < late_counts_) {
            if (yield_) sched_yield();
        }
        add({&header_, &late_}, {Counter::now(), counted([&] {
                                     header_line_[0].load(std::memory_order_acquire);
                                 }),  // pairs with write_header
                                    counted([&] { receive(); })});
    }

    // Adds the time from each count to the next one, each to its own list.
    static void add(std::initializer_list<std::vector<double>*> lists, std::initializer_list<std::uint64_t> counts)
    {
        const std::uint64_t* count = counts.begin();
        for (std::vector<double>* const list : lists) {
            list->push_back(static_cast<double>(count[1] - count[0]));
            ++count;
        }
    }

    // The count after f.
    template <class F>
    static std::uint64_t counted(const F& f)
    {
        f();
        return Counter::now();
    }

    void post()
    {
        if (has_header()) transport::check(fmpl_irecv(received_, bytes_, peer_, kIndex, FMPL_COMM_WORLD));
    }

    void receive()
    {
        if (has_header()) {
            transport::check(fmpl_irecv_wait(peer_, kIndex, FMPL_COMM_WORLD));
        } else {
            transport::recv(received_, bytes_, peer_, kIndex);
        }
    }

    // Writes the other rank's header line as a posted receive does.
    void write_header()
    {
        for (int i = 1; i < 4; ++i) header_line_there_[i].store(raised_, std::memory_order_relaxed);
        header_line_there_[0].store(raised_, std::memory_order_release);  // pairs with receive_late
    }

    // Tells the other rank that this one has done a step.
    void raise() { own_->store(++raised_, std::memory_order_release); }  // pairs with await
    void await() { wait_for(*other_, ++awaited_, yield_); }              // pairs with raise

    // The other rank's values become the first rank's.
    template <class T>
    void to_first(std::vector<T>& values) const
    {
        if (first_) {
            transport::recv(values.data(), values.size() * sizeof(T), peer_, kCountsIndex);
        } else {
            transport::send(values.data(), values.size() * sizeof(T), peer_, kCountsIndex);
        }
    }

    const Pairing& pairing_;
    std::size_t bytes_;
    int peer_;
    bool first_;
    bool yield_;
    std::uint64_t late_counts_;
    std::byte* sent_;
    std::byte* received_;
    std::atomic<std::uint64_t>* own_ = nullptr;
    const std::atomic<std::uint64_t>* other_ = nullptr;
    const std::atomic<std::uint64_t>* header_line_ = nullptr;
    std::atomic<std::uint64_t>* header_line_there_ = nullptr;
    std::uint64_t raised_ = 0, awaited_ = 0;
    std::vector<Trip> trips_;                                    // of the latest exchange with a receiver that waits
    std::vector<double> nothing_, init_, header_, late_, send_;  // counts of the latest one with a late receiver
};

template <class Counter>
void run_with(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, Pairs::first);
    const double per_second = counts_per_second<Counter>();
    report.line(
        fmt::format("parts of a message between {}: medians of a batch, in nanoseconds and (in cycles of the counter)",
            pairing.words()));
    report.line(fmt::format("counter: {}, {:.1f} million a second", Counter::kName, per_second * 1e-6));
    report.line("one-way: init + recv header + send msg + flight, from the entry of fmpl_send to the receive's return");
    for (const PartWords& words : kWords) report.line(fmt::format("{}: {}", words.column, words.definition));
    report.line(fmt::format("none: a message of up to {} bytes needs no header", kNoHeader));
    if (!job.cpus_suffice()) report.line("ranks share CPUs: flights contain waits for a CPU");

    bool has_head = false;
    for (const std::size_t bytes : options.sizes) {
        const std::size_t wanted = Exchange<Counter>::memory_bytes(bytes);
        with_message_memory(options.memory, wanted, [&](std::byte* memory) {
            Exchange<Counter> exchange(
                pairing, bytes, memory, !job.cpus_suffice(), per_second * 1e-9, options.benchmark->name);
            if (!has_head) {
                has_head = true;
                const auto [least, most] = pairing.takes_part() ? exchange.bounds_of_difference() : std::pair(0.0, 0.0);
                report.line(
                    fmt::format("the counter of rank 1 minus that of rank 0 is between {:.0f} and {:.0f} ns; it "
                                "cancels out in the mean",
                        least / per_second * 1e9, most / per_second * 1e9));
                report.add("counter",
                    {{"name", Counter::kName}, {"per_second", per_second},
                        {"difference_seconds", {{"least", least / per_second}, {"most", most / per_second}}}});
                std::vector<std::string> columns = {"bytes", "reps", "one-way ns", "q1 ns", "q3 ns"};
                for (const PartWords& words : kWords) columns.push_back(fmt::format("{:>13}", words.column));
                report.columns(columns);
            }
            all_must_be_right(exchange.verify(), "breakdown: a message arrived wrong");
            std::vector<Parts> batches;
            std::optional<std::uint64_t> last_first;
            const Batch activities[] = {[&](std::uint64_t first, std::uint64_t count) {
                if (last_first == first) batches.pop_back();  // taken again: that one does not count
                last_first = first;
                batches.push_back(exchange.measure(count));
            }};
            const int reps = sample(options.sampling(reps_for(bytes, 16 * kMiB, 20, 1000)), pairing.group(),
                pairing.takes_part(), activities)
                                 .reps;
            all_must_be_right(exchange.verify(), "breakdown: a message arrived wrong");

            // The last batches are the samples; those before them warmed up.
            const auto samples = static_cast<std::size_t>(options.samples);
            batches.erase(
                batches.begin(), batches.end() - static_cast<std::ptrdiff_t>(std::min(samples, batches.size())));
            if (!pairing.takes_part() || !pairing.first()) return;  // the first rank has the parts
            std::vector<double> seconds;
            for (const Parts& batch : batches) seconds.push_back(one_way(batch) / per_second);
            const Summary summary = summarize(seconds);
            const auto in_ns = [](double of_one) { return fmt::format("{:.1f}", of_one * 1e9); };
            std::vector<std::string> cells = {fmt::format("{}", bytes), fmt::format("{}", reps), in_ns(summary.median),
                in_ns(summary.quartile1), in_ns(summary.quartile3)};
            nlohmann::json parts = nlohmann::json::object();
            for (std::size_t i = 0; i < kParts; ++i) {
                std::vector<double> of_part;
                for (const Parts& batch : batches) {
                    if (batch[i]) of_part.push_back(*batch[i] / per_second);
                }
                if (of_part.empty()) {
                    cells.emplace_back("none");
                    parts[kWords[i].key] = nullptr;
                    continue;
                }
                const double middle = summarize(of_part).median;
                cells.push_back(fmt::format("{} ({:.0f})", in_ns(middle), middle * per_second));
                parts[kWords[i].key] = {{"seconds", json_of(of_part)}, {"cycles", middle * per_second}};
            }
            report.row(
                cells, {{"bytes", bytes}, {"reps", reps}, {"parts", std::move(parts)}, {"seconds", json_of(seconds)}});
        });
    }
}

}  // namespace

void run_breakdown(const Options& options, const Job& job, Report& report)
{
#if defined(__x86_64__)
    if (!on_any_rank(!has_cycle_counter())) {
        run_with<TimeStampCounter>(options, job, report);
        return;
    }
#endif
    run_with<SteadyClock>(options, job, report);
}

}  // namespace fmpl::bench
