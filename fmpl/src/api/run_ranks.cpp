// Ranks as threads of one process.
#include "api/binding.hpp"
#include "error.hpp"
#include "launch/job_seat.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fmpl {

void run_ranks(int n, const std::function<void(int)>& f, const JobOptions& options)
{
    if (n < 1) fail(FMPL_ERR_ARGUMENT, "run_ranks: n = {}: at least one rank is needed", n);
    JobSpec spec = job_spec_from_environment(n);
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
    const auto memory = std::make_shared<JobMemory>(JobMemory::create(spec));

    // What to throw in the end: a rank's own failure rather than another rank's news of it; of several, the lowest
    // rank's.
    struct Failure {
        std::exception_ptr error;
        int rank = 0;
        bool is_news = false;
    } failure;
    std::mutex mutex;
    const auto failed = [&](int rank, const char* words, bool is_news) {
        {
            const std::lock_guard lock(mutex);
            const bool first = !failure.error;
            if (first || (failure.is_news && !is_news) || (failure.is_news == is_news && rank < failure.rank)) {
                failure = {std::current_exception(), rank, is_news};
            }
        }
        abort_job(memory->control(), rank, 1, words);
    };

    const auto rank_main = [&](int rank) {
        Binding binding;
        binding.seat = JobSeat{memory, rank, true};
        bound = &binding;
        try {
            f(rank);
            // A rank that returns because its calls fail with ABORTED has no failure of its own.
            // acquire: pairs with abort_job
            const bool ending = memory->control().abort_state.load(std::memory_order_acquire) != 0;
            if (!ending && binding.endpoint && binding.endpoint->initialized()) {
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
        memory->control().nodes[rank].exited.store(1, std::memory_order_release);  // pairs with Endpoint::init
        ring_all(memory->control());
        bound = nullptr;
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(n));
    for (int rank = 0; rank < n; ++rank) threads.emplace_back(rank_main, rank);
    for (std::thread& thread : threads) thread.join();
    if (failure.error) std::rethrow_exception(failure.error);
}

}  // namespace fmpl
