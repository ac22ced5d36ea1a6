// What the kernels ask of a communication library. One implementation over FMPL's calls (communication_fmpl.cpp), one
// over MPI's (communication_mpi.cpp); the build of a program chooses, so that nothing else differs but what a kernel
// does where a library tells it that more readers, or more meetings, cost next to nothing
// (Communication::publishes_in_place, ranks_take_turns).
//
// One thread per rank calls. Errors of the library come as exceptions (std::runtime_error with the library's words);
// main ends the job with them. Everything that a rank wrote before a message, an exchange or a publication is visible
// to whoever has received it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fmpl::npb {

// `count` pieces of `bytes` bytes; piece j begins at base + j * stride. A face of an array, say.
struct Pieces {
    const std::byte* base;
    std::size_t bytes;
    std::size_t count;
    std::size_t stride;
    std::size_t total() const { return bytes * count; }
};

// Ranks that communicate with each other: those of the job, or some of them. Ranks count from 0 within the group.
//
// Collective calls are made by all ranks of the group, in the same order, with spans of the same length.
class Group {
public:
    virtual ~Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }

    virtual void barrier() = 0;
    virtual void broadcast(std::span<std::byte> data, int root) = 0;

    // Element by element over the ranks; every rank gets the same bits.
    virtual void sum(std::span<double> values) = 0;
    virtual void sum(std::span<std::int64_t> values) = 0;
    virtual void sum(std::span<std::int32_t> values) = 0;
    virtual void maximum(std::span<double> values) = 0;
    double sum(double value)
    {
        sum(std::span(&value, 1));
        return value;
    }
    double maximum(double value)
    {
        maximum(std::span(&value, 1));
        return value;
    }

    // Messages. 0 <= index < kIndices; each (peer, index) has at most one posted receive. A message has the length of
    // the receive it meets. post_receive does not block, send returns when the data may be changed (it may wait for
    // the receive), wait_receive when the message is there. A rank does not send to itself.
    static constexpr int kIndices = 64;
    virtual void post_receive(void* to, std::size_t bytes, int source, int index) = 0;
    virtual void wait_receive(int source, int index) = 0;
    virtual void send(const Pieces& pieces, int destination, int index) = 0;
    void send(const void* data, std::size_t bytes, int destination, int index)
    {
        send(Pieces{static_cast<const std::byte*>(data), bytes, 1, bytes}, destination, index);
    }

protected:
    Group(int rank, int size) : rank_(rank), size_(size) {}

private:
    int rank_;
    int size_;
};

// A personalised exchange: every rank of the group has something for every other one, and for itself.
//
// The ranks write where the bytes are to go: over FMPL straight into the landing area of the peer, so that what packs a
// message also delivers it; over MPI into memory of their own, which end() hands to MPI_Alltoall or MPI_Alltoallv.
//
//     exchange->begin(block_bytes);                      // or begin(bytes for each peer)
//     for each peer: write exchange->room(peer)          // in any order, as the results come
//     exchange->end();                                   // landing() is filled, in the order of the ranks
//
// With one area, what has landed may be overwritten from the next begin() on, which therefore waits until every rank
// has called it. With two, which take turns, it stays until the rank calls the next end(), and begin() of equal
// blocks does not wait.
//
// All ranks of the group destroy it, in the same order as other collective calls, and not between begin() and end():
// that may wait for all of them.
class Exchange {
public:
    virtual ~Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Equal blocks of block_bytes, the same on all ranks, from everybody to everybody.
    // REQUIRES: ranks * block_bytes <= landing_bytes.
    virtual void begin(std::size_t block_bytes) = 0;
    // bytes_to[peer] bytes for each peer, multiples of 4. Waits for all ranks, since it tells them how much comes.
    // REQUIRES: what comes to a rank fits its landing area (std::length_error on that rank otherwise, and on those
    // whose bytes would lie beyond it).
    virtual void begin(std::span<const std::size_t> bytes_to) = 0;
    // Where the bytes for `peer` are to be written, between begin() and end(); aligned as their offset in the landing
    // area.
    virtual std::byte* room(int peer) = 0;
    // Blocks until all has landed.
    virtual void end() = 0;

    // The bytes that have landed, from rank 0 first; valid after end().
    virtual std::span<std::byte> landing() = 0;
    // Those of one rank.
    virtual std::span<std::byte> from(int source) = 0;

protected:
    Exchange() = default;
};

// What each rank of a group lets others read, all of it or each of them a part: over FMPL where it lies, so that
// nothing is copied; over MPI by a message to each reader.
//
//     write publication->begin()                         // as many bytes as were told
//     publication->end();                                // or end(sums)
//     read publication->of(source)                       // of each source
//
// There is one place for all that a rank publishes, since memory that was written a moment ago is still in a cache.
// So a rank calls begin() when its readers have met it, in any collective call, since they read what it published
// last, and it them: an iteration that meets somewhere else, too, has that for nothing.
//
// All ranks of the group destroy it, in the same order as other collective calls, and not between begin() and end():
// that may wait until all of them have read.
class Publication {
public:
    virtual ~Publication() = default;
    Publication(const Publication&) = delete;
    Publication& operator=(const Publication&) = delete;

    // Where this rank writes what it publishes: the same memory each time, with what it published last, aligned to 64
    // bytes. Once before each end(), on all ranks, be it for no bytes. REQUIRES: the meeting told of above. Does not
    // wait.
    virtual std::byte* begin() = 0;
    // Collective. Blocks until all that this rank reads has been published.
    virtual void end() = 0;
    // end(), and Group::sum(sums) over the ranks of the group: over FMPL one meeting of the ranks instead of two.
    // REQUIRES: sums is not empty.
    virtual void end(std::span<double> sums) = 0;
    // What `source` published last for this rank. REQUIRES: this rank reads it, or is it; an end() has been.
    virtual std::span<const std::byte> of(int source) = 0;

protected:
    Publication() = default;
};

// The rank's part in the job. Made once, by main; destroyed last.
class Communication {
public:
    // Runs rank_main on each rank that this process is, and returns what main is to return: over FMPL these may be
    // all ranks of the job, over an MPI it is one.
    static int run_process(const std::function<int()>& rank_main);
    // Joins the job. Collective.
    static std::unique_ptr<Communication> join();
    virtual ~Communication() = default;
    Communication(const Communication&) = delete;
    Communication& operator=(const Communication&) = delete;

    int rank() { return world().rank(); }
    int ranks() { return world().size(); }
    virtual Group& world() = 0;
    // The ranks of the job listed, in that order. Collective over these; groups that share ranks are made in one
    // order by all.
    virtual std::unique_ptr<Group> group(std::span<const int> world_ranks) = 0;
    // Collective over the group, which must outlive it. landing_bytes: room for what comes to this rank, the same on
    // all ranks. areas: 1 or 2.
    virtual std::unique_ptr<Exchange> exchange(Group& group, std::size_t landing_bytes, int areas) = 0;

    // Collective over the group, which must outlive it. bytes: what this rank publishes each time, a multiple of 4.
    // sources: the ranks of the group that this one reads, in any order; naming one twice, or itself, does no harm.
    virtual std::unique_ptr<Publication> publication(Group& group, std::size_t bytes, std::span<const int> sources) = 0;
    // The same, but of what this rank publishes each rank of the group reads bytes_for[rank] bytes, multiples of 4:
    // the parts lie one behind the other in the order of the ranks.
    virtual std::unique_ptr<Publication> publication(Group& group, std::span<const std::size_t> bytes_for) = 0;

    // Whether what the ranks of the job publish is read where it lies, so that another reader costs no message.
    // Collective; the same on all ranks.
    virtual bool publishes_in_place() = 0;

    // Whether ranks of the job take turns on a thread, so that a meeting costs each a change of stacks, well below a
    // microsecond, where ranks that share CPUs as processes need the system for it. The same on all ranks.
    virtual bool ranks_take_turns() = 0;

    // What an exchange with the ranks of the job takes beside its landing areas when a rank sends so many bytes at a
    // time: nothing where they are written into the peers' memory, else as much again. Not collective.
    virtual std::size_t staging_bytes(std::size_t sent) = 0;

    // Memory that messages leave and reach fastest (remote-DMA memory; MPI_Alloc_mem), aligned to 64 bytes; freed
    // with the Communication. Throws std::bad_alloc after a line on standard error that says how much was wanted and
    // how much there is.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    template <class T>
    std::span<T> allocate_array(std::size_t count)
    {
        return {reinterpret_cast<T*>(allocate(count * sizeof(T))), count};
    }

    // Seconds that this rank has spent in the calls of this interface, waiting included.
    virtual double communication_seconds() const = 0;
    // "FMPL 0.1.0", "Open MPI v4.1.4 ..."
    virtual std::string library() const = 0;
    // Ends the job with exit status 1, after an exception. Does not return.
    [[noreturn]] virtual void abort(const char* reason) = 0;

protected:
    Communication() = default;
};

}  // namespace fmpl::npb
