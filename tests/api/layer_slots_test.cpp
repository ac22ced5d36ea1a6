// The slots in which layers keep their state of a rank: whose they are, and how long.
#include "support/ranks_test.hpp"

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

// Of a rank, which notes its end.
struct State {
    int rank;
    std::string layer;
};
std::mutex mutex;
std::vector<std::vector<std::string>> ended;  // by rank: the layers whose state was destroyed, in order

void destroy(void* state)
{
    const State* const ending = static_cast<State*>(state);
    EXPECT_EQ(fmpl_job_rank(), ending->rank);
    const std::lock_guard lock(mutex);
    ended[static_cast<std::size_t>(ending->rank)].push_back(ending->layer);
    delete ending;
}

void keep(fmpl_layer layer, const char* name)
{
    EXPECT_EQ(fmpl_layer_state(layer), nullptr);
    fmpl_slot* const slot = fmpl_layer_slot(layer);
    EXPECT_EQ(slot->mark, 0);
    slot->mark = 1;
    slot->destroy = &destroy;
    slot->state = new State{fmpl_job_rank(), name};
    EXPECT_EQ(fmpl_layer_state(layer), slot->state);
}

int rank_in(fmpl_layer layer)
{
    return static_cast<State*>(fmpl_layer_state(layer))->rank;
}

TEST(LayerSlots, AreARanksOwnAndEndWithItUpperLayersFirst)
{
    for (const int threads : {0, 1, 2}) {
        for (const bool fails : {false, true}) {
            ended.assign(4, {});
            const auto rank_main = [&](int rank) {
                keep(FMPL_LAYER_BLACS, "blacs");
                {
                    const fmpl::Session session;
                    keep(FMPL_LAYER_MPI, "mpi");
                    EXPECT_OK(fmpl_barrier(FMPL_COMM_WORLD));
                    EXPECT_EQ(rank_in(FMPL_LAYER_BLACS), rank);
                    EXPECT_EQ(rank_in(FMPL_LAYER_MPI), rank);
                    if (fails) throw std::runtime_error("on purpose");
                }
                keep(FMPL_LAYER_PROGRAM, "program");
                EXPECT_EQ(rank_in(FMPL_LAYER_MPI), rank);
                delete static_cast<State*>(fmpl_layer_state(FMPL_LAYER_MPI));
                fmpl_layer_slot(FMPL_LAYER_MPI)->state = nullptr;  // it has ended by itself
            };
            fmpl::JobOptions options;
            options.threads = threads;
            if (fails) {
                EXPECT_THROW(fmpl::run_ranks(4, rank_main, options), std::runtime_error);
            } else {
                fmpl::run_ranks(4, rank_main, options);
            }
            const std::vector<std::string> order =
                fails ? std::vector<std::string>{"blacs", "mpi"} : std::vector<std::string>{"program", "blacs"};
            for (const auto& layers : ended) EXPECT_EQ(layers, order);
        }
    }
}

TEST(LayerSlots, AreSharedByTheThreadsOfAProcess)
{
    int state = 0;
    const auto set = [](void* to) {
        __atomic_store_n(&fmpl_layer_slot(FMPL_LAYER_PROGRAM)->state, to, __ATOMIC_RELEASE);
    };
    const auto in_another = [](auto&& body) { std::thread(body).join(); };
    EXPECT_EQ(fmpl_layer_state(FMPL_LAYER_PROGRAM), nullptr);
    in_another([&] { set(&state); });
    EXPECT_EQ(fmpl_layer_state(FMPL_LAYER_PROGRAM), &state);
    in_another([&] { EXPECT_EQ(fmpl_layer_state(FMPL_LAYER_PROGRAM), &state); });
    // A rank of run_ranks has others; a thread that it starts belongs to the process.
    fmpl::run_ranks(2, [&](int) {
        EXPECT_EQ(fmpl_layer_state(FMPL_LAYER_PROGRAM), nullptr);
        in_another([&] { EXPECT_EQ(fmpl_layer_state(FMPL_LAYER_PROGRAM), &state); });
    });
    set(nullptr);
    in_another([&] { EXPECT_EQ(fmpl_layer_state(FMPL_LAYER_PROGRAM), nullptr); });
}

}  // namespace
