// Receiver-side matching (MPI-3.1, section 3.5): posted receives and unexpected messages, by hash. A receive or
// message costs the same whether one or thousands are outstanding.
#pragma once

#include "p2p/operations.hpp"

#include <mpi.h>

#include <memory>

namespace fmpl::mpi {

class Matching {
public:
    ~Matching();

    // Adds a receive that no unexpected message matches.
    void post(ReceiveOperation& operation);
    void cancel(ReceiveOperation& operation);
    // Takes out the posted receive that the message matches, the earliest one; nullptr when there is none.
    Ref<ReceiveOperation> take_posted(const MatchKey& message)
    {
        if (posted_.size() > 0) return take_from_table(message);
        if (newest_ == nullptr || !matches(newest_->key, message)) return {};
        return take(*newest_);
    }

    // A posted receive that has got its message.
    Ref<ReceiveOperation> take_posted(ReceiveOperation& operation) { return take(operation); }
    // Whether a receive with this key, which names source and tag, would be the first to match the messages that it
    // matches.
    bool is_first(const MatchKey& receive) const { return first_posted(receive) == nullptr; }

    bool any_posted() const { return newest_ != nullptr || posted_.size() > 0; }
    static bool matches(const MatchKey& receive, const MatchKey& message)
    {
        return receive.context == message.context &&
               (receive.source == message.source || receive.source == MPI_ANY_SOURCE) &&
               (receive.tag == message.tag || receive.tag == MPI_ANY_TAG);
    }

    void keep(std::unique_ptr<UnexpectedMessage> message);
    // The earliest message that a receive with this key matches; nullptr when there is none. It stays.
    UnexpectedMessage* find_unexpected(const MatchKey& receive) const
    {
        UnexpectedMessage* const found = by_key_.size() == 0 ? nullptr : find_in_tables(receive);
        if (found != nullptr || latest_ == nullptr || !matches(receive, latest_->queue_key(0))) return found;
        return latest_.get();
    }
    std::unique_ptr<UnexpectedMessage> take(UnexpectedMessage& message);

private:
    // It is posted no longer; the table's reference to it.
    Ref<ReceiveOperation> take(ReceiveOperation& operation)
    {
        operation.posted = false;
        if (&operation == newest_) {
            newest_ = nullptr;
        } else {
            remove_from_table(operation);
        }
        return Ref<ReceiveOperation>(&operation, Ref<ReceiveOperation>::kAdopt);
    }
    ReceiveOperation* first_posted(const MatchKey& message) const;
    Ref<ReceiveOperation> take_from_table(const MatchKey& message);
    UnexpectedMessage* find_in_tables(const MatchKey& receive) const;
    void remove_from_table(ReceiveOperation& operation);

    // The receive posted last is beside the table until the next one is posted: that of a rank that waits for each
    // message is never in it.
    ReceiveOperation* newest_ = nullptr;
    KeyedQueues<ReceiveOperation, 0> posted_;
    std::size_t posted_with_wildcards_ = 0;
    std::uint64_t order_ = 0;
    // Likewise the message kept last: that of a rank that probes and then receives is never in the tables.
    std::unique_ptr<UnexpectedMessage> latest_;
    KeyedQueues<UnexpectedMessage, 0> by_key_;
    KeyedQueues<UnexpectedMessage, 1> by_source_;   // any tag
    KeyedQueues<UnexpectedMessage, 2> by_tag_;      // any source
    KeyedQueues<UnexpectedMessage, 3> by_context_;  // any of both
};

}  // namespace fmpl::mpi
