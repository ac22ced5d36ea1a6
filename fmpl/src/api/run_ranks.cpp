// Ranks as threads of one process, each with a thread of its own or several on one: of a job that the process makes
// (run_ranks), or of one that fmplrun has made and given to it as a whole (run_process).
#include "api/binding.hpp"
#include "api/ranks_of_thread.hpp"
#include "crossbar/abort.hpp"
#include "crossbar/host.hpp"
#include "error.hpp"
#include "launch/environment.hpp"
#include "launch/job_seat.hpp"
#include "launch/thread_layout.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

namespace fmpl {

namespace {

// All ranks of one job, in this process.
class RanksOfJob {
public:
    RanksOfJob(std::shared_ptr<JobMemory> memory, const std::function<void(int)>& f) : memory_(std::move(memory)), f_(f)
    {
    }

    // Returns when all have returned; throws what failed. bind: also a thread that carries one rank.
    void run_on(int thread_count, bool bind)
    {
        const int ranks = memory_->ranks();
        const std::vector<int> cpus = bind || thread_count < ranks ? cpus_of_threads(thread_count) : std::vector<int>();
        std::vector<std::thread> threads;
        threads.reserve(static_cast<std::size_t>(thread_count));
        for (int t = 0; t < thread_count; ++t) {
            threads.emplace_back([&, t] {
                // Where that is refused the thread runs where the system puts it: slower, and right all the same.
                if (!cpus.empty()) bind_thread(0, {&cpus[static_cast<std::size_t>(t)], 1});
                if (thread_count == ranks) return rank_main(t, nullptr);
                run_several(ranks_of_thread(t, thread_count, ranks));
            });
        }
        for (std::thread& thread : threads) thread.join();
        if (failures_.empty()) return;
        // A rank's own failure rather than another rank's news of it; of several, the lowest rank's.
        const auto worst = std::min_element(failures_.begin(), failures_.end(), [](const Failure& a, const Failure& b) {
            return std::tie(a.is_news, a.rank) < std::tie(b.is_news, b.rank);
        });
        std::rethrow_exception(worst->error);
    }

private:
    void run_several(const std::vector<int>& ranks)
    {
        try {
            run_ranks_of_thread(
                ranks, [&](int rank, SharedThread& thread) { rank_main(rank, &thread); }, stacks_);
        } catch (const std::exception& error) {
            failed(ranks.front(), error.what(), false);
        }
    }

    void rank_main(int rank, SharedThread* thread)
    {
        ControlBlock& control = memory_->control();
        Binding binding;
        binding.seat = JobSeat{memory_, rank, true, thread};
        bind(&binding);
        try {
            f_(rank);
            // A rank that returns because its calls fail with ABORTED has no failure of its own.
            // acquire: pairs with abort_job
            const bool ending = control.abort_state.load(std::memory_order_acquire) != 0;
            if (!ending && binding.own && binding.own->initialized()) {
                fail(FMPL_ERR_PENDING, "rank {} returned without calling fmpl_finalize", rank);
            }
        } catch (const AbortRequest& error) {
            failed(rank, error.what(), false);
        } catch (const Error& error) {
            failed(rank, error.what(), error.code() == FMPL_ERR_ABORTED);
        } catch (const std::exception& error) {
            failed(rank, error.what(), false);
        } catch (...) {
            failed(rank, "an exception of unknown type", false);
        }
        binding.destroy_layers();
        control.nodes[rank].exited.store(1, std::memory_order_release);  // pairs with Rank::init
        ring_all(control);
        bind(nullptr);
    }

    // Called while the exception is handled.
    void failed(int rank, const char* words, bool is_news)
    {
        {
            const std::lock_guard lock(mutex_);
            failures_.push_back({std::current_exception(), rank, is_news});
        }
        abort_job(memory_->control(), rank, 1, words);
        // The launcher says why. The other ranks may be anywhere, and see the end of the job only in FMPL.
        if (memory_->control().has_launcher != 0 && !is_news) {
            std::fflush(stdout);
            std::fflush(stderr);
            _exit(1);
        }
    }

    struct Failure {
        std::exception_ptr error;
        int rank;
        bool is_news;
    };

    const std::shared_ptr<JobMemory> memory_;
    const std::function<void(int)>& f_;
    RankStacks stacks_;
    std::mutex mutex_;
    std::vector<Failure>
        failures_;  // kept until all threads have ended, since the thread that threw still uses its own
};

}  // namespace

void run_ranks(int n, const std::function<void(int)>& f, const JobOptions& options)
{
    if (n < 1) fail(FMPL_ERR_ARGUMENT, "run_ranks: n = {}: at least one rank is needed", n);
    if (options.threads < 0) fail(FMPL_ERR_ARGUMENT, "run_ranks: threads = {}: 0 or more are needed", options.threads);
    const int thread_count = options.threads == 0 ? n : std::min(n, options.threads);
    check_environment();
    JobSpec spec = job_spec_from_environment(n);
    if (thread_count < n) spec.cpus = std::min(available_cpus(), thread_count);
    if (options.arena_bytes != 0) spec.arena_bytes = options.arena_bytes;
    if (!options.crossbar.empty()) parse_crossbar_shape(options.crossbar, n, spec.shape);
    if (!options.profile.empty()) {
        if (options.profile != "host" && options.profile != "sr8000") {
            fail(FMPL_ERR_ARGUMENT, "run_ranks: profile \"{}\": host or sr8000 is needed", options.profile);
        }
        spec.profile = options.profile == "host" ? Profile::host : Profile::sr8000;
    }
    if (!options.engine.empty()) {
        if (options.engine != "shm" && options.engine != "unmapped") {
            fail(FMPL_ERR_ARGUMENT, "run_ranks: engine \"{}\": shm or unmapped is needed", options.engine);
        }
        spec.engine = options.engine == "shm" ? EngineKind::shm : EngineKind::unmapped;
    }
    RanksOfJob(std::make_shared<JobMemory>(JobMemory::create(spec)), f).run_on(thread_count, false);
}

int run_process(const std::function<int()>& rank_main)
{
    std::vector<int> statuses;
    try {
        if (const int threads = threads_from_environment(); threads > 0) {
            const std::shared_ptr<JobMemory> memory = whole_job_from_environment();
            statuses.resize(static_cast<std::size_t>(memory->ranks()));
            const std::function<void(int)> run = [&](int rank) {
                statuses[static_cast<std::size_t>(rank)] = rank_main();
            };
            RanksOfJob(memory, run).run_on(std::min(threads, memory->ranks()), true);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fmpl: %s\n", error.what());
        return 1;
    }
    if (statuses.empty()) return rank_main();
    const auto failed = std::find_if(statuses.begin(), statuses.end(), [](int status) { return status != 0; });
    return failed == statuses.end() ? 0 : *failed;
}

}  // namespace fmpl
