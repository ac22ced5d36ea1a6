// Receiver-side matching (MPI-3.1, section 3.5): posted receives and unexpected messages. A receive or message costs
// the same whether one or thousands are outstanding.
//
// Receives wait in a queue, in the order in which they were posted, for as long as each message that comes matches the
// oldest: so do those of a window, or of a rank that waits for each message. Once one matches another, all that are
// there go to a table by their keys. Then a message looks in the table first: what is there was posted before what is
// in the queue. Likewise the unexpected messages, which have a table for each kind of wildcard too, made when one is
// first looked for, and forgotten when there are no more messages.
#pragma once

#include "p2p/operations.hpp"

#include <memory>

namespace fmpl::mpi {

class Matching {
public:
    ~Matching();

    // Adds a receive that no unexpected message matches.
    void post(ReceiveOperation& operation)
    {
        operation.posted = true;
        operation.in_table = false;
        Ref<ReceiveOperation>(&operation).release();  // the queue's own reference
        recent_posted_.append(operation);
    }
    void cancel(ReceiveOperation& operation);
    // Takes out the posted receive that the message matches, the earliest one; nullptr when there is none.
    Ref<ReceiveOperation> take_posted(const MatchKey& message)
    {
        ReceiveOperation* const found = first_posted(message);
        if (found == nullptr) return {};
        return take(*found);
    }

    // A posted receive that has got its message.
    Ref<ReceiveOperation> take_posted(ReceiveOperation& operation) { return take(operation); }
    // Whether a receive with this key, which names source and tag, would be the first to match the messages that it
    // matches.
    bool is_first(const MatchKey& receive) { return first_posted(receive) == nullptr; }

    bool any_posted() const { return recent_posted_.first() != nullptr || posted_.size() > 0; }
    static bool matches(const MatchKey& receive, const MatchKey& message)
    {
        return receive.context == message.context &&
               (receive.source == message.source || receive.source == kAnySource) &&
               (receive.tag == message.tag || receive.tag == kAnyTag);
    }

    void keep(UnexpectedMessagePtr message) { recent_messages_.append(*message.release()); }
    // The earliest message that a receive with this key matches; nullptr when there is none. It stays.
    UnexpectedMessage* find_unexpected(const MatchKey& receive)
    {
        UnexpectedMessage* const found = by_key_.size() == 0 ? nullptr : find_in_tables(receive);
        if (found != nullptr) return found;
        UnexpectedMessage* const oldest = recent_messages_.first();
        if (oldest == nullptr || matches(receive, oldest->queue_key(0))) return oldest;
        return recent_messages_.has_several() ? find_in_tables_of_all(receive) : nullptr;
    }
    UnexpectedMessagePtr take(UnexpectedMessage& message);

private:
    static bool has_wildcard(const MatchKey& key) { return key.source == kAnySource || key.tag == kAnyTag; }

    // It is posted no longer; the queue's reference to it.
    Ref<ReceiveOperation> take(ReceiveOperation& operation)
    {
        operation.posted = false;
        if (operation.in_table) {
            remove_from_table(operation);
        } else {
            recent_posted_.remove(operation);
        }
        return Ref<ReceiveOperation>(&operation, Ref<ReceiveOperation>::kAdopt);
    }
    ReceiveOperation* first_posted(const MatchKey& message)
    {
        ReceiveOperation* const found = posted_.size() == 0 ? nullptr : first_in_table(message);
        if (found != nullptr) return found;
        ReceiveOperation* const oldest = recent_posted_.first();
        if (oldest == nullptr || matches(oldest->key, message)) return oldest;
        return recent_posted_.has_several() ? first_in_table_of_all(message) : nullptr;
    }
    ReceiveOperation* first_in_table(const MatchKey& message) const;
    // Once those of the queue are in the table.
    ReceiveOperation* first_in_table_of_all(const MatchKey& message);
    void remove_from_table(ReceiveOperation& operation);
    // Unexpected messages by what a receive with a wildcard names of them, as long as it is in use.
    template <int place>
    struct WildcardTable {
        KeyedQueues<UnexpectedMessage, place> messages;
        bool is_in_use = false;
    };
    UnexpectedMessage* find_in_tables(const MatchKey& receive);
    template <int place>
    UnexpectedMessage* find_by(WildcardTable<place>& table, const MatchKey& receive);
    UnexpectedMessage* find_in_tables_of_all(const MatchKey& receive);
    template <class Visit>
    void for_each_table_in_use(Visit&& visit);

    NodeQueue<ReceiveOperation> recent_posted_;
    KeyedQueues<ReceiveOperation, 0> posted_;
    std::size_t posted_with_wildcards_ = 0;  // of those in the table
    std::uint64_t order_ = 0;
    NodeQueue<UnexpectedMessage> recent_messages_;
    NodeQueue<UnexpectedMessage, 4> tabled_messages_;  // all that are in tables
    KeyedQueues<UnexpectedMessage, 0> by_key_;
    WildcardTable<1> by_source_;   // any tag
    WildcardTable<2> by_tag_;      // any source
    WildcardTable<3> by_context_;  // any of both
};

}  // namespace fmpl::mpi
