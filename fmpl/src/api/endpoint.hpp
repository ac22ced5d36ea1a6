// A rank: everything that it owns, and the calls of fmpl.h as member functions that throw Error.
//
// Nothing below the C API lives outside such an object. One thread at a time uses it.
#pragma once

#include "api/communicators.hpp"
#include "api/observer.hpp"
#include "coll/collectives.hpp"
#include "launch/job_seat.hpp"
#include "p2p/any_domain.hpp"
#include "p2p/communicator.hpp"
#include "p2p/envelopes/envelopes.hpp"
#include "p2p/layer_calls.hpp"
#include "p2p/node.hpp"
#include "p2p/receiver.hpp"
#include "p2p/send_buffer.hpp"
#include "p2p/sender.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fmpl {

class Endpoint {
public:
    // Takes the seat; throws Error when another process has it. Remote-DMA memory can be allocated from now on.
    explicit Endpoint(const JobSeat& seat);
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    void init(fmpl_match_t* slots, fmpl_flag_t* flags, int count);
    void finalize();
    bool initialized() const { return initialized_; }
    bool finalized() const { return finalized_; }

    int rank() const { return node.rank(); }
    int job_size() const { return node.crossbar.nodes(); }
    bool is_thread() const { return is_thread_; }
    ControlBlock& control() const { return node.crossbar.control(); }

    void send(const void* buf, std::size_t size, int dst, int mai, fmpl_comm_t comm)
    {
        Communicator& c = checked(comm, "dst", dst);
        c.check_index(mai);
        check_buffer(buf, size);
        sender.send(c, dst, mai, buf, size);
    }
    void recv(void* buf, std::size_t size, int src, int mai, fmpl_comm_t comm)
    {
        Communicator& c = checked(comm, "src", src);
        if (mai != FMPL_ANY_TAG) c.check_index(mai);
        check_buffer(buf, size);
        receiver.recv(c, src, mai, buf, size);
    }
    void send_columns(const void* base, const fmpl_columns* columns, int dst, int mai, fmpl_comm_t comm);
    void recv_columns(void* base, const fmpl_columns* columns, int src, int mai, fmpl_comm_t comm);
    void isend(const void* buf, std::size_t size, int dst, int mai, fmpl_comm_t comm);
    void irecv(void* buf, std::size_t size, int src, int mai, fmpl_comm_t comm);
    void isend_wait(int dst, int mai, fmpl_comm_t comm);
    void irecv_wait(int src, int mai, fmpl_comm_t comm);
    bool isend_test(int dst, int mai, fmpl_comm_t comm);
    void irecv_ahead(void* buf, std::size_t size, int src, int mai, fmpl_comm_t comm);
    void irecv_discard(int src, int mai, fmpl_comm_t comm);
    void irecv_withdraw(int src, int mai, fmpl_comm_t comm);
    void irecv_test(int src, int mai, fmpl_comm_t comm, int& done);
    void sendbuf_set(void* buf, std::size_t size, int timeout_ms)
    {
        if (size > kMostBytes) bad_buffer(size);
        any_domain.reclaim();
        sender.set_buffer(buf, size, timeout_ms);
    }
    void sendbuf_check(int* nsend, int* nspool);
    void send_any(const void* buf, std::size_t size, int dst, int mai, fmpl_comm_t comm);
    void recv_any(void* buf, std::size_t size, int mai, fmpl_comm_t comm);

    Communicator& communicator(fmpl_comm_t comm) { return communicators.find(comm); }

    void barrier(fmpl_comm_t comm) { collectives.barrier(communicator(comm)); }
    void bcast(void* buf, std::size_t size, int root, fmpl_comm_t comm);
    void bcast_columns(void* base, const fmpl_columns* columns, int root, fmpl_comm_t comm);
    void reduce(void* buf, std::size_t count, fmpl_op_t op, int root, fmpl_comm_t comm, void* work);
    // result: not looked at on ranks other than root.
    void reduce_to(const void* operand, void* result, std::size_t count, fmpl_op_t op, int root, fmpl_comm_t comm);
    // result: operand, for one in place, or apart from it.
    void allreduce(const void* operand, void* result, std::size_t count, fmpl_op_t op, fmpl_comm_t comm, void* work);

    void* allocate(std::size_t bytes);
    void free(void* p);
    bool is_remote_dma(const void* p, std::size_t bytes) const;
    bool is_addressable(int world_rank) const;
    // The owner's offset of its memory; and another rank's memory at such an offset, or nullptr.
    Offset remote_place(const void* p, std::size_t bytes) const;
    const void* remote_view(int world_rank, Offset place, std::size_t bytes) const;
    // Whether the bytes at the private address of that rank could be copied.
    bool private_read(int world_rank, std::uint64_t address, std::byte* to, std::size_t bytes) const;

    void envelopes_open(std::size_t body_bytes);

    Node node;
    SendBuffer send_buffer;
    Sender sender;
    Receiver receiver;
    AnyDomain any_domain;
    Communicators communicators;
    Envelopes envelopes;
    LayerCalls layer_calls;
    Collectives collectives;

    Observer observer;  // of the calls in api/boundary.hpp and of the layers above

private:
    Communicator& checked(fmpl_comm_t comm, const char* what, int rank)
    {
        Communicator& c = communicator(comm);
        c.check_rank(rank, what);
        return c;
    }
    static void check_result(const void* operand, const void* result, std::size_t bytes);
    // Of every call with a buffer. A size above the largest ptrdiff_t was a negative number: no buffer is as long.
    static void check_buffer(const void* buf, std::size_t size)
    {
        if ((buf == nullptr && size > 0) || size > kMostBytes) [[unlikely]]
            bad_buffer(size);
    }
    static Columns checked_columns(const void* base, const fmpl_columns* columns);
    static void check_operation(const void* buf, std::size_t count, fmpl_op_t op);
    static constexpr std::size_t kMostBytes = PTRDIFF_MAX;
    [[noreturn]] static void bad_buffer(std::size_t size);

    std::string pending_words();

    bool initialized_ = false;
    bool finalized_ = false;
    bool is_thread_ = false;
};

}  // namespace fmpl
