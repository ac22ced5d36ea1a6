#include "p2p/matching.hpp"

#include <utility>

namespace fmpl::mpi {

void DropMessage::operator()(UnexpectedMessage* message) const
{
    message->pool->give_back(*message);
}

Matching::~Matching()
{
    const auto drop = [](UnexpectedMessage& message) { DropMessage()(&message); };
    tabled_messages_.take_all(drop);
    recent_messages_.take_all(drop);
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
    for (const MatchKey& key : {MatchKey{message.context, message.source, kAnyTag},
             MatchKey{message.context, kAnySource, message.tag}, MatchKey{message.context, kAnySource, kAnyTag}}) {
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

template <class Visit>
void Matching::for_each_table_in_use(Visit&& visit)
{
    if (by_source_.is_in_use) visit(by_source_.messages);
    if (by_tag_.is_in_use) visit(by_tag_.messages);
    if (by_context_.is_in_use) visit(by_context_.messages);
}

template <int place>
UnexpectedMessage* Matching::find_by(WildcardTable<place>& table, const MatchKey& receive)
{
    if (!table.is_in_use) {
        table.is_in_use = true;
        tabled_messages_.for_each([&](UnexpectedMessage& message) { table.messages.push(message); });
    }
    return table.messages.first(receive);
}

UnexpectedMessage* Matching::find_in_tables(const MatchKey& receive)
{
    const bool any_source = receive.source == kAnySource;
    const bool any_tag = receive.tag == kAnyTag;
    if (any_source && any_tag) return find_by(by_context_, receive);
    if (any_source) return find_by(by_tag_, receive);
    if (any_tag) return find_by(by_source_, receive);
    return by_key_.first(receive);
}

UnexpectedMessage* Matching::find_in_tables_of_all(const MatchKey& receive)
{
    recent_messages_.take_all([this](UnexpectedMessage& message) {
        message.in_table = true;
        tabled_messages_.append(message);
        by_key_.push(message);
        for_each_table_in_use([&](auto& table) { table.push(message); });
    });
    return find_in_tables(receive);
}

UnexpectedMessagePtr Matching::take(UnexpectedMessage& message)
{
    if (!message.in_table) {
        recent_messages_.remove(message);
    } else {
        tabled_messages_.remove(message);
        by_key_.remove(message);
        for_each_table_in_use([&](auto& table) { table.remove(message); });
        if (by_key_.size() == 0) by_source_.is_in_use = by_tag_.is_in_use = by_context_.is_in_use = false;
    }
    return UnexpectedMessagePtr(&message);
}

}  // namespace fmpl::mpi
