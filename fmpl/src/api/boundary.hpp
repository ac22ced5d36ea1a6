// Where an Error becomes a code: every C call runs its body through boundary(), which also counts it.
#pragma once

#include "api/binding.hpp"

#include <type_traits>
#include <utility>

namespace fmpl {

[[gnu::noinline, gnu::cold]] inline int not_initialized(Binding& b, const char* name)
{
    if (b.forked_from != 0) return b.report(name, b.forked_child_error());
    const bool finalized = b.own && b.own->finalized();
    return b.report(
        name, Error(FMPL_ERR_NOT_INITIALIZED,
                  finalized ? "called after fmpl_finalize; FMPL can be called between fmpl_init and fmpl_finalize"
                            : "called before fmpl_init; call fmpl_init first"));
}

// What statistics and traces say of a call: its bytes, or a function of the rank that gives CallFacts. It is
// called before the call checks its arguments, and throws nothing.
inline CallFacts facts_of(const Rank&, std::size_t bytes)
{
    return {.bytes = bytes};
}
template <class Facts>
[[gnu::always_inline]] inline CallFacts facts_of(
    const Rank& own, const Facts& facts) requires std::is_invocable_v<Facts, const Rank&>
{
    return facts(own);
}

// Runs body(rank) for a call that needs fmpl_init before it; a query, which nothing blocks and nobody counts.
// report: what becomes of an Error.
template <class Body>
int query(const char* name, Body&& body, int (Binding::*report)(const char*) = &Binding::report_current_exception)
{
    Binding& b = binding();
    if (b.own == nullptr || !b.own->initialized()) return not_initialized(b, name);
    try {
        std::forward<Body>(body)(*b.own);
        return FMPL_SUCCESS;
    } catch (...) {
        return (b.*report)(name);
    }
}

// The same for a call that copies between ranks: where the operating system refuses that, the other rank may wait for
// what this one has taken on, and the job ends.
template <class Body>
int copying_query(const char* name, Body&& body)
{
    return query(name, std::forward<Body>(body), &Binding::report_failed_call);
}

// The same for a call that communicates. facts: see facts_of.
template <class Facts, class Body>
[[gnu::always_inline]] inline int boundary(Call call, const Facts& facts, Body&& body)
{
    Binding& b = binding();
    Rank* own = b.own.get();
    if (own == nullptr || !own->initialized()) [[unlikely]]
        return not_initialized(b, call_name(call));
    // body is called in one place, so that it becomes a part of this function. facts takes no memory here while
    // nobody asks: all that it calls, it calls with values.
    const bool observed = own->observer.on();
    try {
        own->node.call = call;
        if (observed) [[unlikely]]
            own->observer.begin(call_name(call), facts_of(*own, facts));
        body(*own);
        if (observed) [[unlikely]]
            own->observer.end(true);
        return FMPL_SUCCESS;
    } catch (...) {
        if (observed) own->observer.end(false);
        return b.report_failed_call(call_name(call));
    }
}

}  // namespace fmpl
