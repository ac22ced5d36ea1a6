// Exchanges (fmpl/exchange.h). struct fmpl_exchange is the communicator's Meeting: who calls needs neither to be found
// nor counted for each few bytes.
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"
#include "coll/exchange.hpp"

#include <fmpl/exchange.h>

using namespace fmpl;

static_assert(FMPL_EXCHANGE_BYTES == kMostExchangeBytes);

namespace {

Meeting& meeting(fmpl_exchange* exchange)
{
    return *reinterpret_cast<Meeting*>(exchange);
}

template <class Body>
int exchanging(const char* name, Body&& body)
{
    try {
        body();
        return FMPL_SUCCESS;
    } catch (...) {
        return binding().report_failed_call(name);
    }
}

}  // namespace

extern "C" {

int fmpl_exchange_of(fmpl_comm_t comm, fmpl_exchange** exchange)
{
    return query("fmpl_exchange_of", [&](Rank& own) {
        Communicator& c = own.communicators.find(comm);
        if (exchange == nullptr) fail(FMPL_ERR_ARGUMENT, "exchange is NULL; give the address of a pointer");
        *exchange = own.collectives.has_exchanges(c) ? reinterpret_cast<fmpl_exchange*>(c.meeting.get()) : nullptr;
    });
}

int fmpl_exchange_room(fmpl_exchange* exchange, size_t bytes, void** room)
{
    return exchanging("fmpl_exchange_room", [&] {
        if (bytes > kMostExchangeBytes) [[unlikely]] {
            fail(FMPL_ERR_ARGUMENT, "{} bytes are more than the {} of an exchange; send them as messages", bytes,
                kMostExchangeBytes);
        }
        *room = room_to_give(meeting(exchange), bytes);
    });
}

void fmpl_exchange_show(fmpl_exchange* exchange, int to)
{
    show_given(meeting(exchange), to);
}

int fmpl_exchange_decline(fmpl_exchange* exchange, size_t bytes, int to)
{
    return exchanging("fmpl_exchange_decline", [&] { decline_to_give(meeting(exchange), bytes, to); });
}

int fmpl_exchange_take(fmpl_exchange* exchange, int from, const void** data, size_t* bytes)
{
    return exchanging("fmpl_exchange_take", [&] {
        const Given given = take_given(meeting(exchange), from);
        *data = given.data;
        *bytes = given.bytes;
    });
}

void fmpl_exchange_end(fmpl_exchange* exchange)
{
    end_exchange(meeting(exchange));
}

}  // extern "C"
