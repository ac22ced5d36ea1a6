#include "api/ranks_of_thread.hpp"

#include "api/binding.hpp"
#include "crossbar/shared_thread.hpp"
#include "crossbar/waiter.hpp"
#include "error.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#if defined(FMPL_SANITIZE_ADDRESS)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(FMPL_SANITIZE_THREAD)
#include <sanitizer/tsan_interface.h>
#endif

namespace fmpl {
namespace {

namespace context = boost::context;

// As the system gives a thread: pages that are not touched take no memory.
std::size_t stack_bytes()
{
    constexpr std::size_t kLeast = std::size_t{1} << 20, kUsual = std::size_t{8} << 20, kMost = std::size_t{64} << 20;
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUsual;
    return std::clamp(static_cast<std::size_t>(limit.rlim_cur), kLeast, kMost) / 4096 * 4096;
}

// The exceptions of the running thread, as the C++ ABI lays them out: those that are being handled, and how many are
// on their way.
struct ExceptionState {
    void* caught = nullptr;
    unsigned int uncaught = 0;
};

void exchange_exceptions(ExceptionState& other)
{
    void* const current = abi::__cxa_get_globals();
    ExceptionState before;
    std::memcpy(&before, current, sizeof before);
    std::memcpy(current, &other, sizeof other);
    other = before;
}

// What the sanitizers are told of a change of stacks. Without them nothing. (This file itself is compiled without
// them: a function that is entered on one stack and left on another would confuse them.)
class StackOfSanitizer {
public:
#if defined(FMPL_SANITIZE_THREAD)
    static StackOfSanitizer of_thread()
    {
        StackOfSanitizer own;
        own.fiber_ = __tsan_get_current_fiber();
        return own;
    }
    void make()
    {
        fiber_ = __tsan_create_fiber(0);
    }
    void destroy()
    {
        __tsan_destroy_fiber(fiber_);
    }
    void enter(StackOfSanitizer&, const void*, std::size_t)
    {
        __tsan_switch_to_fiber(fiber_, 0);
    }
    void entered(const void** = nullptr, std::size_t* = nullptr) {}
    static void leave_for_ever(StackOfSanitizer& next, const void*, std::size_t)
    {
        __tsan_switch_to_fiber(next.fiber_, 0);
    }

private:
    void* fiber_ = nullptr;
#elif defined(FMPL_SANITIZE_ADDRESS)
    static StackOfSanitizer of_thread()
    {
        return {};
    }
    void make() {}
    void destroy() {}
    // Before the change from `from` to this one, which lies at bottom.
    void enter(StackOfSanitizer& from, const void* bottom, std::size_t bytes)
    {
        __sanitizer_start_switch_fiber(&from.fake_, bottom, bytes);
    }
    // After it, on this one; where the stack lies that was left.
    void entered(const void** bottom = nullptr, std::size_t* bytes = nullptr)
    {
        __sanitizer_finish_switch_fiber(fake_, bottom, bytes);
    }
    static void leave_for_ever(StackOfSanitizer&, const void* bottom, std::size_t bytes)
    {
        __sanitizer_start_switch_fiber(nullptr, bottom, bytes);
    }

private:
    void* fake_ = nullptr;
#else
    static StackOfSanitizer of_thread()
    {
        return {};
    }
    void make() {}
    void destroy() {}
    void enter(StackOfSanitizer&, const void*, std::size_t) {}
    void entered(const void** = nullptr, std::size_t* = nullptr) {}
    static void leave_for_ever(StackOfSanitizer&, const void*, std::size_t) {}
#endif
};

// Whoever has the stacks gives them back.
struct KeptStack {
    static void deallocate(context::stack_context&) noexcept {}
};

}  // namespace

struct RankStacks::All {
    ~All()
    {
        context::protected_fixedsize_stack allocator;
        for (context::stack_context& stack : stacks) allocator.deallocate(stack);
    }
    std::mutex mutex;
    std::vector<context::stack_context> stacks;
};

RankStacks::RankStacks() : all_(std::make_unique<All>()) {}
RankStacks::~RankStacks() = default;

class RanksOfThread final : public SharedThread {
public:
    RanksOfThread(
        std::span<const int> ranks, const std::function<void(int, SharedThread&)>& rank_main, RankStacks::All& stacks)
        : rank_main_(rank_main),
          own_stack_(StackOfSanitizer::of_thread())
    {
        const std::size_t bytes = stack_bytes();
        members_.reserve(ranks.size());
#if defined(SYS_futex_waitv) && defined(FUTEX_WAITV_MAX)
        words_.reserve(ranks.size());
#endif
        for (const int rank : ranks) {
            Member& member = members_.emplace_back();
            const context::stack_context stack = allocate(stacks, members_.size(), bytes);
            member.bottom = static_cast<const char*>(stack.sp) - stack.size;
            member.bytes = stack.size;
            member.stack.make();
            member.context = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                KeptStack{}, [this, rank, index = members_.size() - 1](context::fiber&& scheduler) {
                    scheduler_ = std::move(scheduler);
                    Member& self = members_[index];
                    self.stack.entered(&own_bottom_, &own_bytes_);
                    rank_main_(rank, *this);
                    self.has_returned = true;
                    StackOfSanitizer::leave_for_ever(own_stack_, own_bottom_, own_bytes_);
                    return std::move(scheduler_);
                });
        }
    }
    ~RanksOfThread() override
    {
        for (Member& member : members_) member.stack.destroy();
    }

    void run()
    {
        std::size_t left = members_.size();
        std::uint32_t laps_in_vain = 0;
        while (left > 0) {
            bool all_sleep = true, in_vain = true;
            for (Member& member : members_) {
                if (member.has_returned || !is_awake(member)) continue;
                all_sleep = false;
                enter(member);
                in_vain = in_vain && member.waits_again;
                if (member.has_returned) --left;
            }
            if (left > 0 && all_sleep) sleep_with_all();
            // Everybody here waits for ranks of other threads, which may need this CPU.
            laps_in_vain = in_vain ? laps_in_vain + 1 : 0;
            if (laps_in_vain >= kLapsInVain) sched_yield();
        }
    }

    void yield(bool again) override
    {
        members_[running_].waits_again = again;
        leave();
    }

    void sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* timeout) override
    {
        Member& member = members_[running_];
        member.word = &word;
        member.expected = expected;
        member.until_ns = 0;
        if (timeout != nullptr) {
            member.until_ns = monotonic_ns() + static_cast<std::uint64_t>(timeout->tv_sec) * 1'000'000'000u +
                              static_cast<std::uint64_t>(timeout->tv_nsec);
        }
        leave();
    }

private:
    struct Member {
        context::fiber context;
        StackOfSanitizer stack;
        const void* bottom = nullptr;  // of its stack
        std::size_t bytes = 0;
        Binding* binding = nullptr;  // while it does not run
        ExceptionState exceptions;
        bool has_returned = false;
        bool waits_again = false;
        std::atomic<std::uint32_t>* word =
            nullptr;  // it sleeps until this is something else; nullptr: it does not sleep
        std::uint32_t expected = 0;
        std::uint64_t until_ns = 0;  // by monotonic_ns(); 0: without end
    };

    // So that a thread whose ranks all wait looks for some microseconds before it makes room.
    static constexpr std::uint32_t kLapsInVain = 64;
    // Where the system cannot wait for several words, and how long it waits at most where there are more than it takes.
    static constexpr std::uint64_t kNapNs = 200'000;

    static context::stack_context allocate(RankStacks::All& stacks, std::size_t count, std::size_t bytes)
    {
        try {
            const std::lock_guard lock(stacks.mutex);
            stacks.stacks.reserve(stacks.stacks.size() + 1);
            stacks.stacks.push_back(context::protected_fixedsize_stack(bytes).allocate());
            return stacks.stacks.back();
        } catch (const std::bad_alloc&) {
            fail(FMPL_ERR_MEMORY,
                "no memory for the stack of rank {} of a thread, {} bytes; give fewer ranks, or smaller stacks (ulimit "
                "-s)",
                count, bytes);
        }
    }

    bool is_awake(Member& member)
    {
        if (member.word == nullptr) return true;
        // relaxed: the rank looks again itself, as after futex_wait
        const bool rung = member.word->load(std::memory_order_relaxed) != member.expected;
        if (!rung && (member.until_ns == 0 || monotonic_ns() < member.until_ns)) return false;
        member.word = nullptr;
        return true;
    }

    void enter(Member& member)
    {
        running_ = static_cast<std::size_t>(&member - members_.data());
        member.waits_again = false;
        member.binding = bind(member.binding);
        exchange_exceptions(member.exceptions);
        member.stack.enter(own_stack_, member.bottom, member.bytes);
        member.context = std::move(member.context).resume();
        own_stack_.entered();
        exchange_exceptions(member.exceptions);
        member.binding = bind(member.binding);
    }

    void leave()
    {
        Member& member = members_[running_];
        own_stack_.enter(member.stack, own_bottom_, own_bytes_);
        scheduler_ = std::move(scheduler_).resume();
        member.stack.entered(&own_bottom_, &own_bytes_);
    }

    // All sleep that have not returned. Woken by a word that has changed already, too.
    void sleep_with_all()
    {
        std::uint64_t until_ns = 0;
#if defined(SYS_futex_waitv) && defined(FUTEX_WAITV_MAX)
        std::vector<futex_waitv>& words = words_;
        words.clear();
        for (const Member& member : members_) {
            if (member.has_returned) continue;
            if (member.until_ns != 0) until_ns = until_ns == 0 ? member.until_ns : std::min(until_ns, member.until_ns);
            futex_waitv word{};
            word.val = member.expected;
            word.uaddr = reinterpret_cast<std::uintptr_t>(member.word);
            word.flags = FUTEX_32;
            words.push_back(word);
        }
        if (words.size() <= FUTEX_WAITV_MAX) {
            const timespec until{
                static_cast<time_t>(until_ns / 1'000'000'000), static_cast<long>(until_ns % 1'000'000'000)};
            const long woken = syscall(SYS_futex_waitv, words.data(), static_cast<unsigned>(words.size()), 0,
                until_ns == 0 ? nullptr : &until, CLOCK_MONOTONIC);
            if (woken < 0 && errno == EINTR) {
                // A handler may have done what somebody waits for.
                for (Member& member : members_) member.word = nullptr;
                return;
            }
            if (woken >= 0 || errno == EAGAIN || errno == ETIMEDOUT) return;
        }
#endif
        static_cast<void>(until_ns);
        const timespec nap{0, static_cast<long>(kNapNs)};
        nanosleep(&nap, nullptr);
    }

    const std::function<void(int, SharedThread&)>& rank_main_;
    std::vector<Member> members_;
    std::size_t running_ = 0;
    context::fiber scheduler_;  // while a rank runs
    StackOfSanitizer own_stack_;
    const void* own_bottom_ = nullptr;  // of the thread's own stack, for the sanitizer
    std::size_t own_bytes_ = 0;
#if defined(SYS_futex_waitv) && defined(FUTEX_WAITV_MAX)
    std::vector<futex_waitv> words_;
#endif
};

void run_ranks_of_thread(
    std::span<const int> ranks, const std::function<void(int, SharedThread&)>& rank_main, RankStacks& stacks)
{
    RanksOfThread(ranks, rank_main, *stacks.all_).run();
}

}  // namespace fmpl
