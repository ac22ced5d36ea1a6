// Subarray and darray (MPI-3.1, sections 4.1.3 and 4.1.4): each dimension, the fastest first, wraps the type of the
// dimensions below, and the whole array's bounds are set at the end.
#include "datatype/datatype.hpp"

#include "datatype/checked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace fmpl::mpi {
namespace {

void require_dimensions(std::size_t dimensions, std::initializer_list<std::size_t> lengths)
{
    if (dimensions < 1 || dimensions > static_cast<std::size_t>(INT32_MAX)) {
        throw TypeError(ErrorClass::argument, "the number of dimensions must be 1 or more");
    }
    for (const std::size_t length : lengths) {
        if (length != dimensions) {
            throw TypeError(ErrorClass::argument,
                fmt::format("the arrays have {} and {} entries; give one a dimension", dimensions, length));
        }
    }
}

void require_order(int order)
{
    if (order != kOrderC && order != kOrderFortran) {
        throw TypeError(
            ErrorClass::argument, fmt::format("the order is {}; give MPI_ORDER_C or MPI_ORDER_FORTRAN", order));
    }
}

void require_old(const DatatypePtr& old)
{
    if (!old) throw TypeError(ErrorClass::type, "the old data type is MPI_DATATYPE_NULL; give one that exists");
}

// The dimension that is the `i`-th fastest in memory.
std::size_t by_speed(std::size_t i, std::size_t dimensions, int order)
{
    return order == kOrderC ? dimensions - 1 - i : i;
}

// What one process holds of one dimension of `length` entries: blocks of `block` entries, the first at `first`, a new
// one every `period` entries; the last one may be cut short by the dimension's end.
struct Share {
    std::int64_t first;
    std::int64_t block;
    std::int64_t period;
};

Share share_of(int length, int distribution, int argument, int processes, int coordinate, std::size_t dimension)
{
    const auto wrong = [&](const std::string& words) -> TypeError {
        return TypeError(ErrorClass::argument, fmt::format("dimension {}: {}", dimension, words));
    };
    const bool standard = argument == kDistributeDefault;
    if (!standard && distribution != kDistributeNone && argument < 1) {
        throw wrong(fmt::format(
            "the distribution argument is {}; it must be 1 or more, or MPI_DISTRIBUTE_DFLT_DARG", argument));
    }
    switch (distribution) {
        case kDistributeNone:
            if (processes != 1) {
                throw wrong(fmt::format(
                    "it is not distributed (MPI_DISTRIBUTE_NONE), but has {} processes; it must have 1", processes));
            }
            return {0, length, length};
        case kDistributeBlock: {
            const std::int64_t block =
                standard ? (std::int64_t{length} + processes - 1) / processes : std::int64_t{argument};
            if (block * processes < length) {
                throw wrong(
                    fmt::format("{} blocks of {} entries do not cover its {} entries; make the distribution "
                                "argument larger",
                        processes, block, length));
            }
            return {block * coordinate, block, block * processes};
        }
        case kDistributeCyclic: {
            const std::int64_t block = standard ? 1 : argument;
            return {block * coordinate, block, block * processes};
        }
        default:
            throw wrong(
                fmt::format("the distribution is {}; give MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or "
                            "MPI_DISTRIBUTE_NONE",
                    distribution));
    }
}

// The entries of the share, each of them an `inner`, `stride` bytes apart; `inner` has that extent.
DatatypePtr distribute(const Share& share, std::int64_t length, std::int64_t stride, const DatatypePtr& inner)
{
    const std::int64_t reach = std::max<std::int64_t>(0, length - share.first);
    const std::int64_t periods = reach / share.period;
    const std::int64_t beyond = reach % share.period;
    const bool last_is_whole = beyond >= share.block;
    const int whole = static_cast<int>(periods + (last_is_whole ? 1 : 0));
    const int cut = last_is_whole ? 0 : static_cast<int>(beyond);
    const int block = static_cast<int>(std::min<std::int64_t>(share.block, length));

    if (reach == 0) return Datatype::contiguous(0, inner);
    const std::int64_t at = checked_multiply(share.first, stride);
    const std::int64_t period = whole > 1 ? checked_multiply(share.period, stride) : 0;
    const DatatypePtr blocks = Datatype::hvector(whole, block, period, inner);
    if (cut == 0) return Datatype::hindexed_block(1, std::array{at}, blocks);
    const std::int64_t cut_at = checked_multiply(share.first + periods * share.period, stride);
    return Datatype::structure(std::array{1, cut}, std::array{at, cut_at}, std::array{blocks, inner});
}

}  // namespace

DatatypePtr Datatype::subarray(std::span<const int> sizes, std::span<const int> subsizes, std::span<const int> starts,
    int order, const DatatypePtr& old)
{
    require_old(old);
    require_order(order);
    const std::size_t dimensions = sizes.size();
    require_dimensions(dimensions, {subsizes.size(), starts.size()});
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 ||
            starts[i] > sizes[i] - subsizes[i]) {
            throw TypeError(ErrorClass::argument,
                fmt::format(
                    "dimension {}: {} entries from entry {} of an array of {}; the array and its part must have "
                    "1 entry or more, and the part must lie inside of the array",
                    i, subsizes[i], starts[i], sizes[i]));
        }
    }

    std::int64_t stride = old->extent();
    std::int64_t start = 0;
    DatatypePtr inner = old;
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::size_t d = by_speed(i, dimensions, order);
        inner = i == 0 ? contiguous(subsizes[d], inner) : hvector(subsizes[d], 1, stride, inner);
        start = checked_add(start, checked_multiply<std::int64_t>(starts[d], stride));
        stride = checked_multiply<std::int64_t>(stride, sizes[d]);
    }
    inner = hindexed_block(1, std::array{start}, inner);

    Contents contents{
        Contents::Integers::joined(static_cast<int>(dimensions), sizes, subsizes, starts, order), {}, {old}};
    return wrap(Combiner::subarray, std::move(contents), std::move(inner), 0, stride);
}

DatatypePtr Datatype::darray(int size, int rank, std::span<const int> global_sizes, std::span<const int> distributions,
    std::span<const int> arguments, std::span<const int> process_sizes, int order, const DatatypePtr& old)
{
    require_old(old);
    require_order(order);
    const std::size_t dimensions = global_sizes.size();
    require_dimensions(dimensions, {distributions.size(), arguments.size(), process_sizes.size()});
    if (size < 1 || rank < 0 || rank >= size) {
        throw TypeError(ErrorClass::argument,
            fmt::format("rank {} of {} processes; the rank must be 0 or more and less than their number", rank, size));
    }
    std::int64_t processes = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (global_sizes[i] < 1 || process_sizes[i] < 1) {
            throw TypeError(
                ErrorClass::argument, fmt::format("dimension {}: {} entries on {} processes; both must be 1 or more", i,
                                          global_sizes[i], process_sizes[i]));
        }
        processes = checked_multiply<std::int64_t>(processes, process_sizes[i]);
    }
    if (processes != size) {
        throw TypeError(ErrorClass::argument,
            fmt::format(
                "the process grid has {} places, but there are {} processes; make the product of its sizes their "
                "number",
                processes, size));
    }

    // The grid of processes is in C's order, whatever the order of the array.
    std::vector<int> coordinates(dimensions);
    for (std::size_t i = dimensions, rest = static_cast<std::size_t>(rank); i-- > 0;) {
        coordinates[i] = static_cast<int>(rest % static_cast<std::size_t>(process_sizes[i]));
        rest /= static_cast<std::size_t>(process_sizes[i]);
    }

    std::int64_t stride = old->extent();
    DatatypePtr inner = old;
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::size_t d = by_speed(i, dimensions, order);
        const Share share =
            share_of(global_sizes[d], distributions[d], arguments[d], process_sizes[d], coordinates[d], d);
        inner = distribute(share, global_sizes[d], stride, inner);
        stride = checked_multiply<std::int64_t>(stride, global_sizes[d]);
        inner = resized(inner, 0, stride);
    }

    Contents contents{Contents::Integers::joined(size, rank, static_cast<int>(dimensions), global_sizes, distributions,
                          arguments, process_sizes, order),
        {}, {old}};
    return wrap(Combiner::darray, std::move(contents), std::move(inner), 0, stride);
}

}  // namespace fmpl::mpi
