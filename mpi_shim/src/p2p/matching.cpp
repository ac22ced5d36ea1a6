#include "p2p/matching.hpp"

#include <mpi.h>

#include <utility>

namespace fmpl::mpi {
MatchKey UnexpectedMessage::queue_key(int place) const
{
    return {envelope.context, (place & 2) != 0 ? MPI_ANY_SOURCE : envelope.source,
        (place & 1) != 0 ? MPI_ANY_TAG : envelope.tag};
}

Matching::~Matching()
{
    const auto destroy = [](UnexpectedMessage& message) { delete &message; };
    by_context_.for_each(destroy);
    recent_messages_.take_all(destroy);
    const auto forget = [](ReceiveOperation& operation) {
        const Ref<ReceiveOperation> last(&operation, Ref<ReceiveOperation>::kAdopt);
    };
    posted_.for_each(forget);
    recent_posted_.take_all(forget);
}

void Matching::remove_from_table(ReceiveOperation& operation)
{
    posted_.remove(operation);
    if (has_wildcard(operation.key)) --posted_with_wildcards_;
}

void Matching::cancel(ReceiveOperation& operation)
{
    take(operation);
}

ReceiveOperation* Matching::first_in_table(const MatchKey& message) const
{
    ReceiveOperation* found = posted_.first(message);
    if (posted_with_wildcards_ == 0) return found;
    for (const MatchKey& key :
        {MatchKey{message.context, message.source, MPI_ANY_TAG}, MatchKey{message.context, MPI_ANY_SOURCE, message.tag},
            MatchKey{message.context, MPI_ANY_SOURCE, MPI_ANY_TAG}}) {
        ReceiveOperation* const other = posted_.first(key);
        if (other != nullptr && (found == nullptr || other->order < found->order)) found = other;
    }
    return found;
}

ReceiveOperation* Matching::first_in_table_of_all(const MatchKey& message)
{
    recent_posted_.take_all([this](ReceiveOperation& operation) {
        operation.order = ++order_;
        operation.in_table = true;
        posted_.push(operation);
        if (has_wildcard(operation.key)) ++posted_with_wildcards_;
    });
    return first_in_table(message);
}

UnexpectedMessage* Matching::find_in_tables(const MatchKey& receive) const
{
    const bool any_source = receive.source == MPI_ANY_SOURCE;
    const bool any_tag = receive.tag == MPI_ANY_TAG;
    if (any_source && any_tag) return by_context_.first(receive);
    if (any_source) return by_tag_.first(receive);
    if (any_tag) return by_source_.first(receive);
    return by_key_.first(receive);
}

UnexpectedMessage* Matching::find_in_tables_of_all(const MatchKey& receive)
{
    recent_messages_.take_all([this](UnexpectedMessage& message) {
        message.in_table = true;
        by_key_.push(message);
        by_source_.push(message);
        by_tag_.push(message);
        by_context_.push(message);
    });
    return find_in_tables(receive);
}

std::unique_ptr<UnexpectedMessage> Matching::take(UnexpectedMessage& message)
{
    if (!message.in_table) {
        recent_messages_.remove(message);
    } else {
        by_key_.remove(message);
        by_source_.remove(message);
        by_tag_.remove(message);
        by_context_.remove(message);
    }
    return std::unique_ptr<UnexpectedMessage>(&message);
}

}  // namespace fmpl::mpi
