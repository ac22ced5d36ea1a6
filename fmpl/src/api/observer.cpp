#include "api/observer.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstring>

namespace fmpl {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kRanksOfPage = ObservationLayout::kPage / sizeof(SentRecord);
static_assert((kMaxRanks + kRanksOfPage - 1) / kRanksOfPage <= 32, "a bit a page of a row");

// Events get memory so many at a time: looking up what memory is left takes longer than writing thousands down.
constexpr std::size_t kEventsAtOnce = std::size_t{1} << 13;

// The rank is the only writer.
void add_to(std::atomic<std::uint64_t>& sum, std::uint64_t value)
{
    sum.store(sum.load(kRelaxed) + value, kRelaxed);
}

}  // namespace

Observer::Observer(JobMemory& memory, int rank) : memory_(&memory), clock_(memory.control().clock)
{
    ObservationRecord* const record = memory.observation(rank);
    if (record == nullptr) return;
    const Offset at = memory.observation_offset(rank);
    const ObservationLayout layout = memory.observation_layout();
    memory.commit(at, sizeof(ObservationRecord));
    attach(*record);
    row_at_ = at + layout.row;
    row_ = reinterpret_cast<SentRecord*>(memory.base() + row_at_);
    trace_at_ = at + layout.trace;
    trace_ = reinterpret_cast<TraceEvent*>(memory.base() + trace_at_);
    events_wanted_ = memory.control().trace_events;
    on_ = memory.control().statistics != 0 ? 1 : 0;
}

void Observer::enable(bool on)
{
    if (on && record_ == nullptr) {
        own_ = std::make_unique<ObservationRecord>();
        attach(*own_);
    }
    on_ = on ? 1 : 0;
}

void Observer::begin_session()
{
    if (record_ != nullptr) record_->session_begin.store(read_clock(clock_), kRelaxed);
}

void Observer::end_session()
{
    if (record_ == nullptr) return;
    if (depth_ > 0) {
        ending_ = true;
    } else {
        end_session_at(read_clock(clock_));
    }
}

bool Observer::begin(const char* name, CallFacts facts)
{
    if (depth_++ != 0) return false;
    place_ = place_of(name);
    calls_ = 1;
    begin_ = read_clock(clock_);
    say(facts);
    record_->open_begin.store(begin_, kRelaxed);
    record_->open_call.store(place_ + 1, kRelaxed);  // read by the launcher after the rank's end
    return true;
}

void Observer::say(CallFacts facts)
{
    if (depth_ != 1) return;
    facts_ = facts;
    record_->open_bytes.store(facts.bytes, kRelaxed);
    record_->open_peer.store(facts.peer, kRelaxed);
    record_->open_index.store(facts.index, kRelaxed);
}

void Observer::end(bool succeeded)
{
    if (succeeded && depth_ == 1 && facts_.sends) sent(facts_.peer, facts_.bytes);
    if (--depth_ == 0) end_counted();
}

void Observer::end_counted()
{
    const std::uint64_t now = read_clock(clock_);
    ObservationRecord& record = *record_;
    record.open_call.store(0, kRelaxed);
    if (calls_ > 0) {
        CallRecord& call = record.calls[place_];
        add_to(call.calls, calls_);
        add_to(call.bytes, facts_.bytes);
        add_to(call.ticks, now - begin_);
        if (trace_ != nullptr) add_event(now);
    }
    if (ending_) end_session_at(now);
}

void Observer::add_event(std::uint64_t end)
{
    if (events_ >= events_backed_) [[unlikely]] {
        const std::size_t more = std::min(kEventsAtOnce, events_wanted_ > events_ ? events_wanted_ - events_ : 0);
        if (more > 0 && back(trace_at_ + events_ * sizeof(TraceEvent), more * sizeof(TraceEvent))) {
            events_backed_ = events_ + more;
        } else {
            events_wanted_ = 0;
            if (memory_->control().trace_events == 0) return;
            if (record_->dropped.load(kRelaxed) == 0) record_->first_dropped.store(begin_, kRelaxed);
            add_to(record_->dropped, 1);
            return;
        }
    }
    trace_[events_] = {begin_, end, facts_.bytes, facts_.index, static_cast<std::int16_t>(facts_.peer),
        static_cast<std::uint16_t>(place_)};
    // Not a release: the launcher reads when the rank's process has ended.
    record_->events.store(++events_, kRelaxed);
}

void Observer::sent(int world_rank, std::size_t bytes)
{
    if (row_ == nullptr || depth_ != 1) return;
    const auto page = static_cast<std::size_t>(world_rank) / kRanksOfPage;
    const std::uint32_t bit = std::uint32_t{1} << page;
    if ((row_pages_ & bit) == 0) [[unlikely]] {
        if ((row_pages_refused_ & bit) == 0) {
            const Offset at = row_at_ + page * ObservationLayout::kPage;
            (back(at, ObservationLayout::kPage) ? row_pages_ : row_pages_refused_) |= bit;
        }
        if ((row_pages_ & bit) == 0) {
            add_to(record_->lost_messages, 1);
            return;
        }
    }
    SentRecord& to = row_[world_rank];
    add_to(to.messages, 1);
    add_to(to.bytes, bytes);
}

// The place of a name that known_ does not lead to, which it does from now on. Names are the same when their letters
// are.
std::uint32_t Observer::find_place(const char* name)
{
    ObservationRecord& record = *record_;
    const std::uint32_t names = record.names.load(kRelaxed);
    std::uint32_t place = 0;
    while (place < names && std::strncmp(record.calls[place].name, name, kCallNameBytes - 1) != 0) ++place;
    if (place == names) {
        if (names < kOtherCalls) {
            std::strncpy(record.calls[place].name, name, kCallNameBytes - 1);
            record.names.store(names + 1, kRelaxed);  // read by the launcher after the rank's end
        } else {
            place = kOtherCalls;
            std::strncpy(record.calls[place].name, "(other calls)", kCallNameBytes - 1);
        }
    }
    known_[hash(name)] = {name, place};
    return place;
}

// Whether the pages of [at, at + bytes) have memory now. `at` begins a page; the rest of the last one has some, too.
bool Observer::back(Offset at, std::size_t bytes) noexcept
{
    constexpr std::size_t kPage = ObservationLayout::kPage;
    try {
        memory_->commit(at, (bytes + kPage - 1) / kPage * kPage);
        return true;
    } catch (...) {
        return false;
    }
}

ClockScale Observer::scale_until_now() const
{
    return {clock_, memory_->control().clock_begin, read_both_clocks(clock_)};
}

double Observer::seconds() const
{
    double sum = 0;
    for_each_call([&](const char*, std::uint64_t, std::uint64_t, double seconds) { sum += seconds; });
    return sum;
}

}  // namespace fmpl
