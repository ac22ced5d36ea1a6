// Statistics, and what layers say of their calls. Each call is one of the calling thread's rank.
#include "api/binding.hpp"
#include "api/boundary.hpp"

#include <fmpl/layer_calls.h>
#include <fmpl/observe.h>

using namespace fmpl;

extern "C" {

const char** fmpl_layer_call(void)
{
    const Binding& b = binding();
    return b.own == nullptr ? nullptr : &b.own->node.waiter.layer_call();
}

int fmpl_stats_enable(int on)
{
    return query("fmpl_stats_enable", [&](Rank& own) { own.observer.enable(on != 0); });
}

int fmpl_stats_get(struct fmpl_call_stats* stats, int room, int* n)
{
    return query("fmpl_stats_get", [&](Rank& own) {
        if (n == nullptr || (stats == nullptr && room > 0)) {
            fail(FMPL_ERR_ARGUMENT, "stats or n is a null pointer");
        }
        *n = 0;
        own.observer.for_each_call([&](const char* name, std::uint64_t calls, std::uint64_t bytes, double seconds) {
            if (*n < room) stats[*n] = {name, calls, bytes, seconds};
            ++*n;
        });
    });
}

double fmpl_stats_seconds(void)
{
    const Binding& b = binding();
    return b.own ? b.own->observer.seconds() : 0;
}

const int* fmpl_layer_observed(void)
{
    static constexpr int kNever = 0;
    const Binding& b = binding();
    return b.own ? b.own->observer.flag() : &kNever;
}

int fmpl_layer_call_begin(const char* name)
{
    const Binding& b = binding();
    return b.own && b.own->observer.begin(name) ? 1 : 0;
}

void fmpl_layer_call_about(int world_rank, int index, size_t bytes, int sends)
{
    const Binding& b = binding();
    if (!b.own) return;
    const bool exists = world_rank >= 0 && world_rank < b.own->job_size();
    b.own->observer.say({.peer = world_rank, .index = index, .bytes = bytes, .sends = sends != 0 && exists});
}

void fmpl_layer_call_sent(int world_rank, size_t bytes)
{
    const Binding& b = binding();
    if (b.own && world_rank >= 0 && world_rank < b.own->job_size()) b.own->observer.sent(world_rank, bytes);
}

void fmpl_layer_call_end(int succeeded)
{
    const Binding& b = binding();
    if (b.own) b.own->observer.end(succeeded != 0);
}

}  // extern "C"
