// What this rank has announced for its destinations to choose how it comes (Negotiation): until it goes in another way
// than by reading, or until the destination has said that it has what has a record or is read.
#pragma once

#include "p2p/operations.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fmpl::mpi {

struct Announced {
    Ref<SendOperation> operation;  // none: the message is there or goes in pieces, and the destination will say so
    int destination;               // world rank
    void* record = nullptr;        // of a joint copy
    double helps_from = 0;         // this rank gives nothing of it before this time (fmpl_wtime)
};

class Announcements {
public:
    explicit Announcements(int ranks) : under_way_(static_cast<std::size_t>(ranks)) {}

    // Numbers the message, in its envelope. What is returned stays until it is taken.
    Announced& add(Announced announced)
    {
        const std::uint64_t id = announced.operation->envelope.send_id = ++last_id_;
        Announced& kept = announced_.emplace(id, std::move(announced)).first->second;
        ++under_way_[static_cast<std::size_t>(kept.destination)];
        return kept;
    }
    // Null where no such message has been announced to the rank.
    Announced* find(int destination, std::uint64_t send_id)
    {
        const auto found = announced_.find(send_id);
        return found == announced_.end() || found->second.destination != destination ? nullptr : &found->second;
    }
    // One that is known.
    Ref<SendOperation> take(std::uint64_t send_id) { return std::move(announced_.extract(send_id).mapped().operation); }

    // All of the message has been taken, or has gone.
    void is_there(int destination) { --under_way_[static_cast<std::size_t>(destination)]; }
    // Whether that is not so of a message to the rank.
    bool any_under_way(int destination) const { return under_way_[static_cast<std::size_t>(destination)] > 0; }

    bool is_empty() const { return announced_.empty(); }
    std::uint64_t last_id() const { return last_id_; }

private:
    std::uint64_t last_id_ = 0;
    std::unordered_map<std::uint64_t, Announced> announced_;  // by send_id
    std::vector<int> under_way_;                              // by destination
};

}  // namespace fmpl::mpi
