// The uses of slots that take turns, of a station's broadcasts or of its exchanges: how far the other members are
// (coll/station.hpp).
#pragma once

#include "coll/meeting.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace fmpl {

// One of these: what this rank knows of it, and what all share.
struct UseCourse {
    UseCount& count;
    std::size_t progress_at;              // in MemberRecords
    std::atomic<std::uint32_t>& waiting;  // members that wait for others to leave a use

    UseProgress& progress(MemberRecords& of) const
    {
        return *reinterpret_cast<UseProgress*>(reinterpret_cast<std::byte*>(&of) + progress_at);
    }
};
inline UseCourse broadcasts_of(Meeting& m)
{
    return {m.broadcasts, offsetof(MemberRecords, broadcasts), m.station->waiting_roots};
}
inline UseCourse course_of(ExchangeState& x)
{
    return {x, x.records_at + offsetof(ExchangeRecords, progress), x.meeting.station->waiting_givers};
}

// Looks how far the others are.
bool look_who_has_left(Meeting& m, const UseCourse& course, std::uint64_t uses);
// Waits for others to leave a use; `waiting` says so to them.
template <class HaveLeft>
void wait_for_leaving(Meeting& m, std::atomic<std::uint32_t>& waiting, HaveLeft&& have_left, const WaitFor& what)
{
    struct Waiting {
        explicit Waiting(std::atomic<std::uint32_t>& counted) : count(counted)
        {
            count.fetch_add(1, std::memory_order_relaxed);
        }
        ~Waiting() { count.fetch_sub(1, std::memory_order_relaxed); }
        std::atomic<std::uint32_t>& count;
    } const during(waiting);
    m.node().wait(have_left, what);
}

// Whether all other members have left the first `uses` uses: they read and write nothing of these any more. What was
// seen last mostly tells.
inline bool all_have_left(Meeting& m, const UseCourse& course, std::uint64_t uses)
{
    return course.count.left >= uses || look_who_has_left(m, course, uses);
}
// If not all have left so many uses, waits until they have left `enough`, which is more: one wait in place of one for
// each use from now on. what: makes the WaitFor.
template <class What>
void await_left(Meeting& m, const UseCourse& course, std::uint64_t uses, std::uint64_t enough, What&& what)
{
    if (all_have_left(m, course, uses)) return;
    wait_for_leaving(
        m, course.waiting, [&] { return all_have_left(m, course, enough); }, what());
}
// This member is through with the use. Who waits for this is woken: it has counted itself before its last look, or sees
// this member's word in it, as with the flag and `sleeping` in Crossbar::wake.
inline void leave_use(Meeting& m, const UseCourse& course, std::uint64_t use)
{
    UseProgress& own = course.progress(m.station->members[static_cast<std::size_t>(m.rank())]);
    own.left.store(use + 1, std::memory_order_release);  // pairs with look_who_has_left and is_free
    m.node().crossbar.order_before_wake();
    if (course.waiting.load(std::memory_order_relaxed) != 0) [[unlikely]]
        m.wake_members();
}

}  // namespace fmpl
