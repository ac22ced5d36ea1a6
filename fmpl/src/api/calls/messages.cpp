// Point-to-point communication. Each call is one of the calling thread's rank.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "api/calls/checks.hpp"
#include "api/calls/facts.hpp"

#include <fmpl.h>
#include <fmpl/columns.h>
#include <fmpl/requests.h>

using namespace fmpl;

namespace {

void check_done(int* done)
{
    if (done == nullptr) fail(FMPL_ERR_ARGUMENT, "done is a null pointer; give the address of an int");
    *done = 0;
}

}  // namespace

extern "C" {

int fmpl_send(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(Call::send, message_to(dst, mai, comm, size), [&](Rank& own) {
        Communicator& c = destination(own, comm, dst, mai);
        check_buffer(buf, size);
        own.sender.send(c, dst, mai, buf, size);
    });
}

int fmpl_recv(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::recv, with_peer(src, mai, comm, size), [&](Rank& own) {
        Communicator& c = source_of_any(own, comm, src, mai);
        check_buffer(buf, size);
        own.receiver.recv(c, src, mai, buf, size);
    });
}

int fmpl_send_columns(const void* base, const fmpl_columns* columns, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(Call::send, message_to(dst, mai, comm, columns), [&](Rank& own) {
        Communicator& c = destination(own, comm, dst, mai);
        own.sender.send(c, dst, mai, static_cast<const std::byte*>(base), checked_columns(base, columns));
    });
}

int fmpl_recv_columns(void* base, const fmpl_columns* columns, int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::recv, with_peer(src, mai, comm, columns), [&](Rank& own) {
        Communicator& c = source_of_any(own, comm, src, mai);
        own.receiver.recv(c, src, mai, static_cast<std::byte*>(base), checked_columns(base, columns));
    });
}

int fmpl_isend(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(Call::isend, message_to(dst, mai, comm, size), [&](Rank& own) {
        Communicator& c = destination(own, comm, dst, mai);
        check_buffer(buf, size);
        own.sender.isend(c, dst, mai, buf, size);
    });
}

int fmpl_issend(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return fmpl_isend(buf, size, dst, mai, comm);
}

int fmpl_irecv(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::irecv, with_peer(src, mai, comm, size), [&](Rank& own) {
        Communicator& c = source_of_any(own, comm, src, mai);
        check_buffer(buf, size);
        own.receiver.irecv(c, src, mai, buf, size);
    });
}

int fmpl_isend_wait(int dst, int mai, fmpl_comm_t comm)
{
    return boundary(Call::isend_wait, with_peer(dst, mai, comm, kNoBytes),
        [&](Rank& own) { own.sender.isend_wait(destination(own, comm, dst, mai), dst, mai); });
}

int fmpl_issend_wait(int dst, int mai, fmpl_comm_t comm)
{
    return fmpl_isend_wait(dst, mai, comm);
}

int fmpl_irecv_wait(int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::irecv_wait, with_peer(src, mai, comm, kNoBytes),
        [&](Rank& own) { own.receiver.irecv_wait(source_of_any(own, comm, src, mai), src, mai); });
}

int fmpl_isend_test(int dst, int mai, fmpl_comm_t comm, int* done)
{
    return boundary(Call::isend_test, with_peer(dst, mai, comm, kNoBytes), [&](Rank& own) {
        check_done(done);
        *done = own.sender.isend_test(destination(own, comm, dst, mai), dst, mai) ? 1 : 0;
    });
}

int fmpl_irecv_discard(int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::irecv, with_peer(src, mai, comm, kNoBytes), [&](Rank& own) {
        Communicator& c = source(own, comm, src, mai);
        own.receiver.irecv(c, src, mai, nullptr, 0, Receiver::Manner::discards);
    });
}

int fmpl_irecv_ahead(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::irecv, with_peer(src, mai, comm, size), [&](Rank& own) {
        Communicator& c = source(own, comm, src, mai);
        check_buffer(buf, size);
        own.receiver.irecv(c, src, mai, buf, size, Receiver::Manner::ahead);
    });
}

int fmpl_irecv_withdraw(int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::irecv, with_peer(src, mai, comm, kNoBytes),
        [&](Rank& own) { own.receiver.irecv_withdraw(source(own, comm, src, mai), src, mai); });
}

int fmpl_irecv_test(int src, int mai, fmpl_comm_t comm, int* done)
{
    return boundary(Call::irecv_test, with_peer(src, mai, comm, kNoBytes), [&](Rank& own) {
        check_done(done);
        own.receiver.irecv_test(source_of_any(own, comm, src, mai), src, mai, *done);
    });
}

int fmpl_received(int* source, int* index, size_t* bytes)
{
    return query("fmpl_received", [&](Rank& own) {
        const Matched& m = own.receiver.matched;
        if (source != nullptr) *source = m.source;
        if (index != nullptr) *index = m.index;
        if (bytes != nullptr) *bytes = m.bytes;
    });
}

int fmpl_sendbuf_set(void* buf, size_t size, int timeout_ms)
{
    return boundary(Call::sendbuf_set, 0, [&](Rank& own) {
        if (size > kMostBytes) fail_buffer(size);
        own.any_domain.reclaim();
        own.sender.set_buffer(buf, size, timeout_ms);
    });
}

int fmpl_sendbuf_check(int* nsend, int* nspool)
{
    return boundary(Call::sendbuf_check, 0, [&](Rank& own) {
        own.node.waiter.give_way();
        own.node.waiter.check_abort();  // for who asks until it is empty
        own.any_domain.reclaim();
        own.sender.check_buffer(nsend, nspool);
    });
}

int fmpl_send_any(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(Call::send_any, message_to(dst, mai, comm, size), [&](Rank& own) {
        Communicator& c = checked(own, comm, "dst", dst);
        if (mai < 0) fail(FMPL_ERR_INDEX, "index {} is negative; the any domain has the indices 0 and up", mai);
        check_buffer(buf, size);
        own.any_domain.send(c, dst, mai, buf, size);
    });
}

int fmpl_recv_any(void* buf, size_t size, int mai, fmpl_comm_t comm)
{
    return boundary(Call::recv_any, with_peer(-1, mai, comm, size), [&](Rank& own) {
        Communicator& c = own.communicators.find(comm);
        if (mai < 0 && mai != FMPL_ANY_TAG) {
            fail(
                FMPL_ERR_INDEX, "index {} is negative; the any domain has the indices 0 and up, and FMPL_ANY_TAG", mai);
        }
        check_buffer(buf, size);
        own.any_domain.recv(c, mai, buf, size);
    });
}

}  // extern "C"
