// Point-to-point communication. Each call is translated to the endpoint of the calling thread.
#include "api/binding.hpp"
#include "api/boundary.hpp"
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
    return boundary(
        Call::send, message_to(dst, mai, comm, size), [&](Endpoint& e) { e.send(buf, size, dst, mai, comm); });
}

int fmpl_recv(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::recv, with_peer(src, mai, comm, size), [&](Endpoint& e) { e.recv(buf, size, src, mai, comm); });
}

int fmpl_send_columns(const void* base, const fmpl_columns* columns, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(Call::send, message_to(dst, mai, comm, columns),
        [&](Endpoint& e) { e.send_columns(base, columns, dst, mai, comm); });
}

int fmpl_recv_columns(void* base, const fmpl_columns* columns, int src, int mai, fmpl_comm_t comm)
{
    return boundary(Call::recv, with_peer(src, mai, comm, columns),
        [&](Endpoint& e) { e.recv_columns(base, columns, src, mai, comm); });
}

int fmpl_isend(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::isend, message_to(dst, mai, comm, size), [&](Endpoint& e) { e.isend(buf, size, dst, mai, comm); });
}

int fmpl_issend(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return fmpl_isend(buf, size, dst, mai, comm);
}

int fmpl_irecv(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, size), [&](Endpoint& e) { e.irecv(buf, size, src, mai, comm); });
}

int fmpl_isend_wait(int dst, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::isend_wait, with_peer(dst, mai, comm, kNoBytes), [&](Endpoint& e) { e.isend_wait(dst, mai, comm); });
}

int fmpl_issend_wait(int dst, int mai, fmpl_comm_t comm)
{
    return fmpl_isend_wait(dst, mai, comm);
}

int fmpl_irecv_wait(int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv_wait, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) { e.irecv_wait(src, mai, comm); });
}

int fmpl_isend_test(int dst, int mai, fmpl_comm_t comm, int* done)
{
    return boundary(Call::isend_test, with_peer(dst, mai, comm, kNoBytes), [&](Endpoint& e) {
        check_done(done);
        *done = e.isend_test(dst, mai, comm) ? 1 : 0;
    });
}

int fmpl_irecv_discard(int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) { e.irecv_discard(src, mai, comm); });
}

int fmpl_irecv_ahead(void* buf, size_t size, int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, size), [&](Endpoint& e) { e.irecv_ahead(buf, size, src, mai, comm); });
}

int fmpl_irecv_withdraw(int src, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::irecv, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) { e.irecv_withdraw(src, mai, comm); });
}

int fmpl_irecv_test(int src, int mai, fmpl_comm_t comm, int* done)
{
    return boundary(Call::irecv_test, with_peer(src, mai, comm, kNoBytes), [&](Endpoint& e) {
        check_done(done);
        e.irecv_test(src, mai, comm, *done);
    });
}

int fmpl_received(int* source, int* index, size_t* bytes)
{
    return query("fmpl_received", [&](Endpoint& e) {
        const Matched& m = e.receiver.matched;
        if (source != nullptr) *source = m.source;
        if (index != nullptr) *index = m.index;
        if (bytes != nullptr) *bytes = m.bytes;
    });
}

int fmpl_sendbuf_set(void* buf, size_t size, int timeout_ms)
{
    return boundary(Call::sendbuf_set, 0, [&](Endpoint& e) { e.sendbuf_set(buf, size, timeout_ms); });
}

int fmpl_sendbuf_check(int* nsend, int* nspool)
{
    return boundary(Call::sendbuf_check, 0, [&](Endpoint& e) { e.sendbuf_check(nsend, nspool); });
}

int fmpl_send_any(const void* buf, size_t size, int dst, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::send_any, message_to(dst, mai, comm, size), [&](Endpoint& e) { e.send_any(buf, size, dst, mai, comm); });
}

int fmpl_recv_any(void* buf, size_t size, int mai, fmpl_comm_t comm)
{
    return boundary(
        Call::recv_any, with_peer(-1, mai, comm, size), [&](Endpoint& e) { e.recv_any(buf, size, mai, comm); });
}

}  // extern "C"
