// Many queues of nodes, each with a key, in one hash table: first in, first out within a key, whatever the number of
// keys and of nodes. The table keeps its size on the way down, so that the steady path allocates nothing.
//
// Node has a member `QueueLink<Node> links[]` with room for `place`, and `MatchKey queue_key(int place) const`. A
// node is in at most one table by the same link. Nodes are not owned.
#pragma once

#include "group/communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace fmpl::mpi {

// What messages are matched by; in a receive, source and tag may be MPI_ANY_SOURCE and MPI_ANY_TAG.
struct MatchKey {
    Context context;
    int source;
    int tag;

    friend bool operator==(const MatchKey&, const MatchKey&) = default;
};

template <class Node>
struct QueueLink {
    Node* previous = nullptr;
    Node* next = nullptr;
    std::uint32_t hash = 0;  // of the key by which it is in the table
};

// Nodes in the order in which they were added, by their links[place].
template <class Node, int place = 0>
class NodeQueue {
public:
    Node* first() const { return first_; }
    bool has_several() const { return first_ != last_; }
    void append(Node& node)
    {
        QueueLink<Node>& link = node.links[place];
        link.previous = last_;
        link.next = nullptr;
        (last_ != nullptr ? last_->links[place].next : first_) = &node;
        last_ = &node;
    }
    void remove(Node& node)
    {
        QueueLink<Node>& link = node.links[place];
        (link.previous != nullptr ? link.previous->links[place].next : first_) = link.next;
        (link.next != nullptr ? link.next->links[place].previous : last_) = link.previous;
    }
    template <class Visit>
    void for_each(Visit&& visit) const
    {
        for (Node* node = first_; node != nullptr; node = node->links[place].next) visit(*node);
    }
    // Takes all out, and calls visit(node) with each.
    template <class Visit>
    void take_all(Visit&& visit)
    {
        for (Node* node = first_; node != nullptr;) {
            Node* const next = node->links[place].next;
            visit(*node);
            node = next;
        }
        first_ = last_ = nullptr;
    }

private:
    Node* first_ = nullptr;
    Node* last_ = nullptr;
};

template <class Node, int place>
class KeyedQueues {
public:
    KeyedQueues() : buckets_(kFirstBuckets) {}

    // Throws nothing.
    void push(Node& node)
    {
        if (++nodes_ > buckets_.size()) [[unlikely]]
            grow();
        const std::uint32_t hash = hash_of(node.queue_key(place));
        node.links[place].hash = hash;
        bucket_of(hash).append(node);
    }

    // The oldest one with this key; nullptr when there is none.
    Node* first(const MatchKey& key) const
    {
        for (Node* node = bucket_of(hash_of(key)).first(); node != nullptr; node = node->links[place].next) {
            if (node->queue_key(place) == key) return node;
        }
        return nullptr;
    }

    void remove(Node& node)
    {
        bucket_of(node.links[place].hash).remove(node);
        --nodes_;
    }

    std::size_t size() const { return nodes_; }

    template <class Visit>
    void for_each(Visit&& visit) const
    {
        for (const Bucket& bucket : buckets_) {
            for (Node* node = bucket.first(); node != nullptr;) {
                Node* const next = node->links[place].next;  // visit may destroy the node
                visit(*node);
                node = next;
            }
        }
    }

private:
    static constexpr std::size_t kFirstBuckets = 64;

    using Bucket = NodeQueue<Node, place>;

    static std::uint32_t hash_of(const MatchKey& key)
    {
        std::uint64_t hash =
            (std::uint64_t{key.context} << 32 | static_cast<std::uint32_t>(key.tag)) * 0x9e3779b97f4a7c15u;
        hash = (hash ^ static_cast<std::uint32_t>(key.source)) * 0xc2b2ae3d27d4eb4fu;
        return static_cast<std::uint32_t>(hash >> 40);
    }
    Bucket& bucket_of(std::uint32_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
    const Bucket& bucket_of(std::uint32_t hash) const { return buckets_[hash & (buckets_.size() - 1)]; }

    // Unless there is no memory: then more nodes share a bucket.
    [[gnu::noinline]] void grow()
    {
        std::vector<Bucket> old;
        try {
            old.resize(buckets_.size() * 2);
        } catch (const std::bad_alloc&) {
            return;
        }
        old.swap(buckets_);
        for (Bucket& bucket : old)
            bucket.take_all([this](Node& node) { bucket_of(node.links[place].hash).append(node); });
    }

    std::vector<Bucket> buckets_;  // a power of two of them
    std::size_t nodes_ = 0;
};

}  // namespace fmpl::mpi
