#include "readership.hpp"

#include <cstdint>

namespace fmpl::npb {

namespace {

// A number for each two ranks, or of several each, which one of them knows and a sum tells all.
class Table {
public:
    Table(const Group& group, std::size_t columns)
        : columns_(columns),
          own_(static_cast<std::size_t>(group.rank())),
          numbers_(static_cast<std::size_t>(group.size()) * columns)
    {
    }
    std::int64_t& own(std::size_t column) { return numbers_[own_ * columns_ + column]; }
    void tell(Group& group) { group.sum(std::span(numbers_)); }
    std::size_t at(std::size_t rank, std::size_t column) const
    {
        return static_cast<std::size_t>(numbers_[rank * columns_ + column]);
    }

private:
    std::size_t columns_;
    std::size_t own_;
    std::vector<std::int64_t> numbers_;
};

// visit(rank) for all ranks but this one.
template <class Visit>
void for_each_other(const Group& group, const Visit& visit)
{
    for (int distance = 1; distance < group.size(); ++distance) visit((group.rank() + distance) % group.size());
}

}  // namespace

Readership Readership::of_sources(Group& group, std::size_t bytes, std::span<const int> sources)
{
    const auto ranks = static_cast<std::size_t>(group.size());
    const auto own = static_cast<std::size_t>(group.rank());
    Table reads(group, ranks + 1);  // which sources each rank reads; what it publishes
    for (const int source : sources) reads.own(static_cast<std::size_t>(source)) = 1;
    reads.own(ranks) = static_cast<std::int64_t>(bytes);
    reads.tell(group);

    Readership result;
    result.published_ = result.own_bytes_ = bytes;
    for_each_other(group, [&](int rank) {
        const auto other = static_cast<std::size_t>(rank);
        const std::size_t comes = reads.at(other, ranks);
        if (reads.at(own, other) != 0 && comes != 0) result.read_.push_back({rank, 0, comes});
        if (reads.at(other, own) != 0 && bytes != 0) result.given_.push_back({rank, 0, bytes});
    });
    return result;
}

Readership Readership::of_parts(Group& group, std::span<const std::size_t> bytes_for)
{
    const auto own = static_cast<std::size_t>(group.rank());
    Table parts(group, bytes_for.size());
    for (std::size_t rank = 0; rank < bytes_for.size(); ++rank) {
        parts.own(rank) = static_cast<std::int64_t>(bytes_for[rank]);
    }
    parts.tell(group);
    const auto begin_of = [&](std::size_t publisher, std::size_t reader) {
        std::size_t begin = 0;
        for (std::size_t rank = 0; rank < reader; ++rank) begin += parts.at(publisher, rank);
        return begin;
    };

    Readership result;
    result.published_ = begin_of(own, bytes_for.size());
    result.own_begin_ = begin_of(own, own);
    result.own_bytes_ = bytes_for[own];
    for_each_other(group, [&](int rank) {
        const auto other = static_cast<std::size_t>(rank);
        const std::size_t comes = parts.at(other, own), goes = bytes_for[other];
        if (comes != 0) result.read_.push_back({rank, begin_of(other, own), comes});
        if (goes != 0) result.given_.push_back({rank, begin_of(own, other), goes});
    });
    return result;
}

}  // namespace fmpl::npb
