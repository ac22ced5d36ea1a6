// Exchanges (fmpl/exchange.h). struct fmpl_exchanges is the series' state: who calls needs neither to be found nor
// counted for each few bytes.
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"
#include "coll/exchange.hpp"

#include <fmpl/exchange.h>

using namespace fmpl;

static_assert(FMPL_EXCHANGE_BYTES == kMostExchangeBytes);
static_assert(FMPL_EXCHANGES_OF_A_COMM == kExchangeSeries);

namespace {

ExchangeState& series_of(fmpl_exchanges* exchanges)
{
    return *reinterpret_cast<ExchangeState*>(exchanges);
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

void check_bytes(std::size_t bytes)
{
    if (bytes > kMostExchangeBytes) [[unlikely]] {
        fail(FMPL_ERR_ARGUMENT, "{} bytes are more than the {} of an exchange; send them as messages", bytes,
            kMostExchangeBytes);
    }
}

}  // namespace

extern "C" {

int fmpl_exchanges_of(fmpl_comm_t comm, int series, fmpl_exchanges** exchanges)
{
    return query("fmpl_exchanges_of", [&](Rank& own) {
        Communicator& c = own.communicators.find(comm);
        if (exchanges == nullptr) fail(FMPL_ERR_ARGUMENT, "exchanges is NULL; give the address of a pointer");
        if (series < 0 || series >= FMPL_EXCHANGES_OF_A_COMM) {
            fail(FMPL_ERR_ARGUMENT, "there is no series {}; a communicator has those from 0 to {}", series,
                FMPL_EXCHANGES_OF_A_COMM - 1);
        }
        *exchanges = own.collectives.has_exchanges(c)
                         ? reinterpret_cast<fmpl_exchanges*>(&c.meeting->exchanges[static_cast<std::size_t>(series)])
                         : nullptr;
    });
}

int fmpl_exchange_begin(fmpl_exchanges* exchanges, uint64_t* number)
{
    return exchanging("fmpl_exchange_begin", [&] { *number = begin_exchange(series_of(exchanges)); });
}

int fmpl_exchange_root(fmpl_exchanges* exchanges, int root)
{
    return exchanging("fmpl_exchange_root", [&] {
        ExchangeState& x = series_of(exchanges);
        const int members = x.meeting.size();
        if (root < 0 || root >= members) {
            fail(FMPL_ERR_ARGUMENT, "root = {}: the communicator has the members 0 to {}", root, members - 1);
        }
        set_root(x, root);
    });
}

int fmpl_exchange_room(fmpl_exchanges* exchanges, uint64_t number, size_t bytes, void** room)
{
    return exchanging("fmpl_exchange_room", [&] {
        check_bytes(bytes);
        *room = room_to_give(series_of(exchanges), number, bytes);
    });
}

int fmpl_exchange_try_room(fmpl_exchanges* exchanges, uint64_t number, size_t bytes, void** room)
{
    return exchanging("fmpl_exchange_try_room", [&] {
        check_bytes(bytes);
        *room = try_room_to_give(series_of(exchanges), number, bytes);
    });
}

void fmpl_exchange_show(fmpl_exchanges* exchanges, uint64_t number, int to)
{
    show_given(series_of(exchanges), number, to);
}

void fmpl_exchange_decline(fmpl_exchanges* exchanges, uint64_t number, size_t bytes, int to)
{
    decline_to_give(series_of(exchanges), number, bytes, to);
}

int fmpl_exchange_take(fmpl_exchanges* exchanges, uint64_t number, int from, const void** data, size_t* bytes)
{
    return exchanging("fmpl_exchange_take", [&] {
        const Given given = take_given(series_of(exchanges), number, from);
        *data = given.data;
        *bytes = given.bytes;
    });
}

int fmpl_exchange_try_take(
    fmpl_exchanges* exchanges, uint64_t number, int from, const void** data, size_t* bytes, int* is_there)
{
    return exchanging("fmpl_exchange_try_take", [&] {
        Given given{};
        *is_there = try_take_given(series_of(exchanges), number, from, given) ? 1 : 0;
        *data = given.data;
        *bytes = given.bytes;
    });
}

void fmpl_exchange_end(fmpl_exchanges* exchanges, uint64_t number)
{
    end_exchange(series_of(exchanges), number);
}

}  // extern "C"
