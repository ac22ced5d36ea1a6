// The few small collective operations that the making of communicators needs, between the members of an
// intracommunicator or some of them, by point-to-point messages of the communicator's collective traffic. All of them
// block until the calling rank's part is done. Errors: Error of a transfer that failed.
#pragma once

#include "group/communicator.hpp"
#include "messenger/messenger.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace fmpl::mpi {

// The place of one of n participants in a binomial tree with the root 0; parent: -1 at the root.
struct BinomialPlace {
    int parent = -1;
    std::vector<int> children;

    static BinomialPlace of(int position, int participants);
};

// Waits for a request, and throws Error when it failed.
void wait_for(Messenger& messenger, const RequestRef& request);
// Throws Error when the status says that a transfer of a call failed.
void check_transfer(const Status& status);

class Exchange {
public:
    // Between all members, which take part in the same order as in other collective operations of `comm`.
    Exchange(Messenger& messenger, Communicator& comm);
    // Between the ranks `members` of comm, the same list on each of them, in which the caller is. tag: the same on
    // all, of no other operation under way between them.
    Exchange(Messenger& messenger, Communicator& comm, std::vector<int> members, int tag);

    // Position among the participants.
    int position() const { return position_; }
    int participants() const { return static_cast<int>(members_.size()); }

    // The root's bytes, to all. root: a position.
    void broadcast(void* data, std::size_t bytes, int root = 0);
    template <class T>
    void broadcast(T& value, int root = 0) requires std::is_trivially_copyable_v<T>
    {
        broadcast(&value, sizeof(T), root);
    }
    template <class T>
    void broadcast(std::vector<T>& values, int root = 0)
    {
        std::uint64_t count = values.size();
        broadcast(count, root);
        values.resize(count);
        broadcast(values.data(), count * sizeof(T), root);
    }

    // At the root: whether all give true; the others do not learn it. root: a position.
    bool all_give(bool mine, int root = 0);

    // What each gives, to all, by position.
    template <class T>
    std::vector<T> all_gather(const T& mine) requires std::is_trivially_copyable_v<T>
    {
        std::vector<T> all(members_.size());
        gather_to_first(&mine, all.data(), std::vector<std::size_t>(members_.size(), sizeof(T)));
        broadcast(all.data(), all.size() * sizeof(T));
        return all;
    }
    // The same for lists of any length, one after the other.
    template <class T>
    std::vector<T> all_gather(const std::vector<T>& mine)
    {
        std::vector<std::size_t> bytes = all_gather(mine.size() * sizeof(T));
        std::size_t total = 0;
        for (const std::size_t b : bytes) total += b;
        std::vector<T> all(total / sizeof(T));
        gather_to_first(mine.data(), all.data(), bytes);
        broadcast(all.data(), total);
        return all;
    }

private:
    // bytes: of each; looked at by the first, and each looks at its own.
    void gather_to_first(const void* mine, void* all, const std::vector<std::size_t>& bytes);
    // The calling rank's place in the tree with that root; parent and children: positions.
    BinomialPlace place_below(int root) const;
    RequestRef start_send(const void* data, std::size_t bytes, int to);
    void receive(void* data, std::size_t bytes, int from);

    Messenger& messenger_;
    Communicator& comm_;
    std::vector<int> members_;
    int position_;
    int tag_;
};

// The same bytes or lists between two ranks that call at the same time. `peer`: of comm's peers.
class PairExchange {
public:
    PairExchange(Messenger& messenger, Communicator& comm, int peer, int tag)
        : messenger_(messenger),
          comm_(comm),
          peer_(peer),
          tag_(tag)
    {
    }

    template <class T>
    T swap(const T& mine) requires std::is_trivially_copyable_v<T>
    {
        T theirs;
        swap(&mine, sizeof(T), &theirs, sizeof(T));
        return theirs;
    }
    template <class T>
    std::vector<T> swap(const std::vector<T>& mine)
    {
        std::vector<T> theirs(swap(static_cast<std::uint64_t>(mine.size())));
        swap(mine.data(), mine.size() * sizeof(T), theirs.data(), theirs.size() * sizeof(T));
        return theirs;
    }

private:
    void swap(const void* mine, std::size_t my_bytes, void* theirs, std::size_t their_bytes);

    Messenger& messenger_;
    Communicator& comm_;
    int peer_;
    int tag_;
};

}  // namespace fmpl::mpi
