// Writes down what a rank's calls are and how long they take, for fmplrun --stats and --trace and for fmpl_stats_get.
//
// A call counts when it is not made within another one: so no time counts twice, and a program over a layer (the
// BLACS, the MPI shim) shows the layer's calls, not those of FMPL below them. With a launcher that asked for it
// everything goes into the job's memory (crossbar/observation.hpp); else, after fmpl_stats_enable, calls alone into
// the rank's own.
#pragma once

#include "crossbar/job_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace fmpl {

// What is said of a call beside its name.
struct CallFacts {
    int peer = -1;   // rank in FMPL_COMM_WORLD; -1: none or any
    int index = -1;  // or tag; -1: none or any
    std::size_t bytes = 0;
    bool sends = false;  // a point-to-point message to `peer`: counted in the matrix when the call has succeeded
};

class Observer {
public:
    Observer(JobMemory& memory, int rank);
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;

    bool on() const { return on_ != 0; }
    // Nonzero while on(). Stays where it is.
    const int* flag() const { return &on_; }
    // fmpl_stats_enable. Throws std::bad_alloc.
    void enable(bool on);

    void begin_session();
    // The session ends with the call that the rank is in, if it is in one.
    void end_session();

    // A call of this name, whose letters must stay. Whether it counts; each begin() has its end().
    [[gnu::cold]] bool begin(const char* name, CallFacts facts = {});
    // succeeded: its message, if it sends one, has been sent. Not cold as begin is: GCC 12 then moves the return of a
    // call that nobody observes out of the way, too.
    void end(bool succeeded);
    // Of the call that counts; nothing happens within another one.
    void say(CallFacts facts);
    // It stands for so many.
    void set_calls(std::uint64_t calls) { calls_ = calls; }
    // It has sent one more message, to the rank.
    void sent(int world_rank, std::size_t bytes);

    // The calls made at least once, and the seconds in all calls.
    template <class Visit>
    void for_each_call(Visit&& visit) const
    {
        if (record_ == nullptr) return;
        const ClockScale scale = scale_until_now();
        const std::uint32_t names = record_->names.load(std::memory_order_relaxed);
        for (std::uint32_t i = 0; i < kObservedCalls; ++i) {
            if (i >= names && i != kOtherCalls) continue;
            const CallRecord& call = record_->calls[i];
            const std::uint64_t calls = call.calls.load(std::memory_order_relaxed);
            if (calls == 0) continue;
            visit(call.name, calls, call.bytes.load(std::memory_order_relaxed),
                scale.seconds(call.ticks.load(std::memory_order_relaxed)));
        }
    }
    double seconds() const;

private:
    static constexpr std::size_t kKnownNames = 512;  // a power of two

    struct KnownName {
        const char* name = nullptr;
        std::uint32_t place = 0;
    };

    void attach(ObservationRecord& record) { record_ = &record; }
    void end_counted();
    std::uint32_t place_of(const char* name)
    {
        const KnownName& known = known_[hash(name)];
        return known.name == name ? known.place : find_place(name);
    }
    static std::size_t hash(const char* name)
    {
        return (reinterpret_cast<std::uintptr_t>(name) * 0x9e3779b97f4a7c15u) >> 55;
    }
    std::uint32_t find_place(const char* name);
    void add_event(std::uint64_t end);
    void end_session_at(std::uint64_t now) { record_->session_end.store(now, std::memory_order_relaxed); }
    bool back(Offset at, std::size_t bytes) noexcept;
    ClockScale scale_until_now() const;

    JobMemory* memory_;
    ObservationRecord* record_ = nullptr;
    ClockKind clock_;
    int on_ = 0;
    int depth_ = 0;
    bool ending_ = false;

    // Of the call that counts.
    std::uint32_t place_ = 0;
    std::uint64_t begin_ = 0;
    std::uint64_t calls_ = 1;
    CallFacts facts_;

    SentRecord* row_ = nullptr;  // in the job's memory
    Offset row_at_ = kNoOffset;
    std::uint32_t row_pages_ = 0;          // bit p: page p has memory
    std::uint32_t row_pages_refused_ = 0;  // bit p: there was none for it

    TraceEvent* trace_ = nullptr;
    Offset trace_at_ = kNoOffset;
    std::size_t events_ = 0;
    std::size_t events_backed_ = 0;
    std::size_t events_wanted_ = 0;  // 0 also after memory has run out

    std::array<KnownName, kKnownNames> known_{};
    std::unique_ptr<ObservationRecord> own_;  // of a rank whose job is not observed
};

// A call under way. Requires that the observer is on when it begins.
class ObservedCall {
public:
    ObservedCall(Observer& observer, const char* name) : observer_(observer), counts_(observer.begin(name)) {}
    ~ObservedCall() { observer_.end(true); }
    ObservedCall(const ObservedCall&) = delete;
    ObservedCall& operator=(const ObservedCall&) = delete;

    bool counts() const { return counts_; }

private:
    Observer& observer_;
    bool counts_;
};

}  // namespace fmpl
