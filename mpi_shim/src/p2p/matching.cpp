#include "p2p/matching.hpp"

#include <mpi.h>

#include <utility>

namespace fmpl::mpi {
namespace {

bool has_wildcard(const MatchKey& key)
{
    return key.source == MPI_ANY_SOURCE || key.tag == MPI_ANY_TAG;
}

}  // namespace

MatchKey UnexpectedMessage::queue_key(int place) const
{
    return {envelope.context, (place & 2) != 0 ? MPI_ANY_SOURCE : envelope.source,
        (place & 1) != 0 ? MPI_ANY_TAG : envelope.tag};
}

Matching::~Matching()
{
    by_context_.for_each([](UnexpectedMessage& message) { delete &message; });
    if (newest_ != nullptr) cancel(*newest_);
    posted_.for_each([](ReceiveOperation& operation) {
        const Ref<ReceiveOperation> last(&operation, Ref<ReceiveOperation>::kAdopt);
    });
}

void Matching::post(ReceiveOperation& operation)
{
    operation.order = ++order_;
    operation.posted = true;
    Ref<ReceiveOperation>(&operation).release();  // the table's own reference
    if (newest_ != nullptr) {
        posted_.push(*newest_);
        if (has_wildcard(newest_->key)) ++posted_with_wildcards_;
    }
    newest_ = &operation;
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

ReceiveOperation* Matching::first_posted(const MatchKey& message) const
{
    ReceiveOperation* found = posted_.first(message);
    if (posted_with_wildcards_ > 0) {
        for (const MatchKey& key : {MatchKey{message.context, message.source, MPI_ANY_TAG},
                 MatchKey{message.context, MPI_ANY_SOURCE, message.tag},
                 MatchKey{message.context, MPI_ANY_SOURCE, MPI_ANY_TAG}}) {
            ReceiveOperation* const other = posted_.first(key);
            if (other != nullptr && (found == nullptr || other->order < found->order)) found = other;
        }
    }
    if (found == nullptr && newest_ != nullptr && matches(newest_->key, message)) found = newest_;
    return found;
}

Ref<ReceiveOperation> Matching::take_from_table(const MatchKey& message)
{
    ReceiveOperation* const found = first_posted(message);
    return found == nullptr ? Ref<ReceiveOperation>() : take(*found);
}

void Matching::keep(std::unique_ptr<UnexpectedMessage> message)
{
    if (latest_ != nullptr) {
        UnexpectedMessage& kept = *latest_.release();
        by_key_.push(kept);
        by_source_.push(kept);
        by_tag_.push(kept);
        by_context_.push(kept);
    }
    latest_ = std::move(message);
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

std::unique_ptr<UnexpectedMessage> Matching::take(UnexpectedMessage& message)
{
    if (&message == latest_.get()) return std::move(latest_);
    by_key_.remove(message);
    by_source_.remove(message);
    by_tag_.remove(message);
    by_context_.remove(message);
    return std::unique_ptr<UnexpectedMessage>(&message);
}

}  // namespace fmpl::mpi
