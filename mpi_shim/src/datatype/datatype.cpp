#include "datatype/datatype.hpp"

#include "datatype/checked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fmpl::mpi {
namespace {

void require_type(const DatatypePtr& old)
{
    if (!old) {
        throw TypeError(ErrorClass::type, "the old data type is MPI_DATATYPE_NULL; give one that exists");
    }
}

void require_count(std::int64_t count)
{
    if (count < 0) {
        throw TypeError(ErrorClass::count, fmt::format("the count is {}; it must not be negative", count));
    }
}

void require_block_length(int block_length)
{
    if (block_length < 0) {
        throw TypeError(
            ErrorClass::argument, fmt::format("the block length is {}; it must not be negative", block_length));
    }
}

void require_block_lengths(std::span<const int> block_lengths)
{
    for (std::size_t i = 0; i < block_lengths.size(); ++i) {
        if (block_lengths[i] < 0) {
            throw TypeError(ErrorClass::argument,
                fmt::format("block length {} is {}; it must not be negative", i, block_lengths[i]));
        }
    }
}

int count_of(std::size_t blocks, std::size_t displacements)
{
    if (blocks != displacements) {
        throw TypeError(ErrorClass::argument,
            fmt::format("there are {} block lengths or types and {} displacements; give as many of each", blocks,
                displacements));
    }
    if (blocks > static_cast<std::size_t>(INT32_MAX)) {
        throw TypeError(ErrorClass::count, fmt::format("{} blocks are more than a count can say", blocks));
    }
    return static_cast<int>(blocks);
}

// The contents of a type that is made of one other.
Datatype::Contents contents_of(
    Datatype::Contents::Integers integers, Datatype::Contents::Addresses addresses, const DatatypePtr& old)
{
    return {std::move(integers), std::move(addresses), Datatype::Contents::Types(std::span(&old, 1))};
}

}  // namespace

// The bounds of blocks that are added one after the other.
struct Datatype::BoundsOfBlocks {
    struct Range {
        bool any = false;
        std::int64_t low = 0;
        std::int64_t high = 0;

        void include(std::int64_t from, std::int64_t to)
        {
            low = any ? std::min(low, from) : from;
            high = any ? std::max(high, to) : to;
            any = true;
        }
    };

    Range data;     // true bounds
    Range natural;  // bounds of the entries whose bounds are not marked
    Range marked_lower;
    Range marked_upper;
    std::int64_t alignment = 1;
    bool dense = true;
    std::int64_t dense_end = 0;
    bool data_seen = false;

    void add(const Block& block)
    {
        const Datatype& type = *block.type;
        if (block.length == 0 || !type.counts_for_bounds()) return;
        const std::int64_t last = type.last_copy(block);
        place(type, std::min(block.displacement, last), std::max(block.displacement, last));
        if (type.size_ > 0) follow(block, last);
    }

    // Copies of the type, of which the lowest and the highest have these displacements.
    void place(const Datatype& type, std::int64_t low, std::int64_t high)
    {
        const auto include = [&](Range& range, std::int64_t lower, std::int64_t upper) {
            range.include(checked_add(low, lower), checked_add(high, upper));
        };
        if (type.lower_marked_) include(marked_lower, type.lower_bound_, type.lower_bound_);
        if (type.upper_marked_) include(marked_upper, type.upper_bound_, type.upper_bound_);
        if (type.size_ == 0) return;
        include(natural, type.lower_bound_, type.upper_bound_);
        include(data, type.true_lower_bound_, type.true_upper_bound_);
        alignment = std::max(alignment, type.alignment_);
    }

    // Whether the block goes on where the data before it ended; its last copy is at `last`.
    void follow(const Block& block, std::int64_t last)
    {
        const Datatype& type = *block.type;
        const std::int64_t begin = checked_add(block.displacement, type.true_lower_bound_);
        if (!type.dense_ || (block.length > 1 && type.extent() != type.size_)) dense = false;
        if (begin != dense_end && data_seen) dense = false;
        data_seen = true;
        dense_end = checked_add(last, type.true_upper_bound_);
    }
};

std::shared_ptr<Datatype> Datatype::make(Combiner combiner, Contents contents)
{
    auto type = std::make_shared<Datatype>(Private(), combiner);
    type->contents_ = std::move(contents);
    for (const DatatypePtr& old : type->contents_.types) type->depth_ = std::max(type->depth_, old->depth_ + 1);
    if (type->depth_ > kDeepestNesting) {
        throw TypeError(ErrorClass::other,
            fmt::format(
                "more than {} data types lie inside each other; build this one in fewer steps", kDeepestNesting));
    }
    return type;
}

// The bounds of the whole from those of its blocks. Throws TypeError where an extent does not fit.
void Datatype::take(const BoundsOfBlocks& bounds)
{
    lower_marked_ = bounds.marked_lower.any;
    upper_marked_ = bounds.marked_upper.any;
    lower_bound_ = lower_marked_ ? bounds.marked_lower.low : bounds.natural.low;
    upper_bound_ = upper_marked_ ? bounds.marked_upper.high : bounds.natural.high;
    true_lower_bound_ = bounds.data.low;
    true_upper_bound_ = bounds.data.high;
    alignment_ = bounds.alignment;
    dense_ = bounds.dense;
    checked_subtract(upper_bound_, lower_bound_);
    checked_subtract(true_upper_bound_, true_lower_bound_);
}

// Bounds and signature where the blocks are equal and equally far apart: the first and the last say it all.
void Datatype::describe_regular()
{
    const std::int64_t count = block_count();
    if (count == 0) return;
    const Block first = block(0);
    const Datatype& old = *first.type;
    const std::int64_t copies = checked_multiply(count, first.length);
    signature_ = old.signature_.repeated(copies);
    size_ = checked_multiply(copies, old.size_);
    BoundsOfBlocks bounds;
    bounds.add(first);
    if (count > 1) {
        // The second block tells how each follows the one before; the last does not follow the second.
        bounds.add(block(1));
        const bool dense = bounds.dense;
        bounds.add(block(count - 1));
        bounds.dense = dense;
    }
    take(bounds);
}

// Blocks of one type, wherever they lie: the bounds follow from the lowest and the highest copy.
void Datatype::describe_indexed()
{
    const Datatype& old = *contents_.types[0];
    const bool counts = old.counts_for_bounds();
    BoundsOfBlocks bounds;
    std::int64_t copies = 0;
    std::int64_t low = INT64_MAX;
    std::int64_t high = INT64_MIN;
    const IndexedBlocks blocks(*this);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Block part = blocks[i];
        if (part.length == 0) continue;
        copies += part.length;  // less than 2^62: so many ints
        if (!counts) continue;
        const std::int64_t last = old.last_copy(part);
        low = std::min({low, part.displacement, last});
        high = std::max({high, part.displacement, last});
        if (old.size_ > 0) bounds.follow(part, last);
    }
    size_ = checked_multiply(copies, old.size_);
    signature_ = old.signature_.repeated(copies);
    if (counts && copies > 0) bounds.place(old, low, high);
    take(bounds);
}

void Datatype::describe_structure()
{
    BoundsOfBlocks bounds;
    const std::int64_t count = block_count();
    for (std::int64_t i = 0; i < count; ++i) {
        const Block part = block(i);
        bounds.add(part);
        size_ = checked_add(size_, checked_multiply(part.length, part.type->size_));
        signature_ = signature_.followed_by(part.type->signature_.repeated(part.length));
    }
    take(bounds);
    // Padded, so that the entries of an array of it are aligned.
    const std::int64_t extent = upper_bound_ - lower_bound_;
    if (!upper_marked_ && extent % alignment_ > 0) {
        upper_bound_ = checked_add(upper_bound_, alignment_ - extent % alignment_);
        checked_subtract(upper_bound_, lower_bound_);
    }
}

DatatypePtr Datatype::predefined(Predefined id)
{
    static const auto types = [] {
        std::array<DatatypePtr, kPredefinedCount> made;
        for (const PredefinedInfo& about : all_predefined()) {
            auto type = std::make_shared<Datatype>(Private(), Combiner::named);
            type->predefined_ = about.type;
            type->name_ = about.name;
            type->size_ = about.size;
            type->upper_bound_ = about.extent;
            type->true_upper_bound_ = about.kind == Kind::pair ? about.second_at + info(about.second).size : about.size;
            type->alignment_ = about.alignment;
            type->lower_marked_ = about.type == Predefined::lower_bound;
            type->upper_marked_ = about.type == Predefined::upper_bound;
            type->dense_ = type->true_upper_bound_ == type->size_;
            type->signature_ = Signature(about.type);
            made[static_cast<std::size_t>(about.type)] = std::move(type);
        }
        return made;
    }();
    return types[static_cast<std::size_t>(id)];
}

DatatypePtr Datatype::contiguous(int count, const DatatypePtr& old)
{
    require_count(count);
    require_type(old);
    auto type = make(Combiner::contiguous, contents_of({count}, {}, old));
    type->describe_regular();
    return type;
}

DatatypePtr Datatype::vector(int count, int block_length, int stride, const DatatypePtr& old)
{
    require_count(count);
    require_block_length(block_length);
    require_type(old);
    checked_multiply<std::int64_t>(checked_multiply<std::int64_t>(stride, old->extent()), count);
    auto type = make(Combiner::vector, contents_of({count, block_length, stride}, {}, old));
    type->describe_regular();
    return type;
}

DatatypePtr Datatype::hvector(int count, int block_length, std::int64_t stride, const DatatypePtr& old)
{
    require_count(count);
    require_block_length(block_length);
    require_type(old);
    checked_multiply<std::int64_t>(stride, count);
    auto type = make(Combiner::hvector, contents_of({count, block_length}, {stride}, old));
    type->describe_regular();
    return type;
}

DatatypePtr Datatype::indexed(
    std::span<const int> block_lengths, std::span<const int> displacements, const DatatypePtr& old)
{
    require_type(old);
    require_block_lengths(block_lengths);
    const int count = count_of(block_lengths.size(), displacements.size());
    auto type =
        make(Combiner::indexed, contents_of(Contents::Integers::joined(count, block_lengths, displacements), {}, old));
    type->describe_indexed();
    return type;
}

DatatypePtr Datatype::hindexed(
    std::span<const int> block_lengths, std::span<const std::int64_t> displacements, const DatatypePtr& old)
{
    require_type(old);
    require_block_lengths(block_lengths);
    const int count = count_of(block_lengths.size(), displacements.size());
    auto type = make(Combiner::hindexed,
        contents_of(Contents::Integers::joined(count, block_lengths), Contents::Addresses(displacements), old));
    type->describe_indexed();
    return type;
}

DatatypePtr Datatype::indexed_block(int block_length, std::span<const int> displacements, const DatatypePtr& old)
{
    require_block_length(block_length);
    require_type(old);
    const int count = count_of(displacements.size(), displacements.size());
    auto type = make(
        Combiner::indexed_block, contents_of(Contents::Integers::joined(count, block_length, displacements), {}, old));
    type->describe_indexed();
    return type;
}

DatatypePtr Datatype::hindexed_block(
    int block_length, std::span<const std::int64_t> displacements, const DatatypePtr& old)
{
    require_block_length(block_length);
    require_type(old);
    const int count = count_of(displacements.size(), displacements.size());
    auto type =
        make(Combiner::hindexed_block, contents_of({count, block_length}, Contents::Addresses(displacements), old));
    type->describe_indexed();
    return type;
}

DatatypePtr Datatype::structure(
    std::span<const int> block_lengths, std::span<const std::int64_t> displacements, std::span<const DatatypePtr> types)
{
    require_block_lengths(block_lengths);
    count_of(types.size(), displacements.size());
    const int count = count_of(block_lengths.size(), displacements.size());
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (!types[i]) {
            throw TypeError(
                ErrorClass::type, fmt::format("data type {} is MPI_DATATYPE_NULL; give one that exists", i));
        }
    }
    auto type = make(Combiner::structure,
        {Contents::Integers::joined(count, block_lengths), Contents::Addresses(displacements), Contents::Types(types)});
    type->describe_structure();
    return type;
}

// A type with the type map of `inner`.
std::shared_ptr<Datatype> Datatype::make_like(Combiner combiner, Contents contents, DatatypePtr inner)
{
    auto type = make(combiner, std::move(contents));
    type->size_ = inner->size_;
    type->lower_bound_ = inner->lower_bound_;
    type->upper_bound_ = inner->upper_bound_;
    type->true_lower_bound_ = inner->true_lower_bound_;
    type->true_upper_bound_ = inner->true_upper_bound_;
    type->alignment_ = inner->alignment_;
    type->lower_marked_ = inner->lower_marked_;
    type->upper_marked_ = inner->upper_marked_;
    type->dense_ = inner->dense_;
    type->depth_ = std::max(type->depth_, inner->depth_ + 1);
    type->signature_ = inner->signature_;
    type->inner_ = std::move(inner);
    return type;
}

DatatypePtr Datatype::wrap(
    Combiner combiner, Contents contents, DatatypePtr inner, std::int64_t lower_bound, std::int64_t upper_bound)
{
    checked_subtract(upper_bound, lower_bound);
    auto type = make_like(combiner, std::move(contents), std::move(inner));
    type->lower_bound_ = lower_bound;
    type->upper_bound_ = upper_bound;
    type->lower_marked_ = true;
    type->upper_marked_ = true;
    return type;
}

DatatypePtr Datatype::resized(const DatatypePtr& old, std::int64_t lower_bound, std::int64_t extent)
{
    require_type(old);
    return wrap(Combiner::resized, contents_of({}, {lower_bound, extent}, old), old, lower_bound,
        checked_add(lower_bound, extent));
}

DatatypePtr Datatype::dup(const DatatypePtr& old)
{
    require_type(old);
    return make_like(Combiner::dup, contents_of({}, {}, old), old);
}

DatatypePtr Datatype::renamed(std::string name) const
{
    auto type = std::make_shared<Datatype>(*this);
    type->name_ = std::move(name);
    return type;
}

std::int64_t Datatype::block_count() const
{
    switch (combiner_) {
        case Combiner::named:
            return 0;
        case Combiner::dup:
        case Combiner::subarray:
        case Combiner::darray:
        case Combiner::resized:
        case Combiner::contiguous:
            return 1;
        default:
            return contents_.integers[0];
    }
}

Datatype::IndexedBlocks::IndexedBlocks(const Datatype& type)
    : size_(static_cast<std::size_t>(type.contents_.integers[0])),
      one_length_(type.combiner_ == Combiner::indexed_block || type.combiner_ == Combiner::hindexed_block),
      lengths_(type.contents_.integers.data() + 1),
      old_(type.contents_.types[0])
{
    if (type.contents_.addresses.empty()) {
        displacements_ = lengths_ + (one_length_ ? 1 : size_);
    } else {
        addresses_ = type.contents_.addresses.data();
    }
}

Datatype::Block Datatype::block(std::int64_t index) const
{
    const Contents::Integers& integers = contents_.integers;
    const std::size_t i = static_cast<std::size_t>(index);
    switch (combiner_) {
        case Combiner::contiguous:
            return {0, integers[0], contents_.types[0]};
        case Combiner::vector:
            return {index * integers[2] * contents_.types[0]->extent(), integers[1], contents_.types[0]};
        case Combiner::hvector:
            return {index * contents_.addresses[0], integers[1], contents_.types[0]};
        case Combiner::indexed:
        case Combiner::hindexed:
        case Combiner::indexed_block:
        case Combiner::hindexed_block:
            return IndexedBlocks(*this)[i];
        case Combiner::structure:
            return {contents_.addresses[i], integers[1 + i], contents_.types[i]};
        default:
            return {0, 1, inner_};
    }
}

std::optional<std::int64_t> Datatype::count_in(std::int64_t bytes) const
{
    if (size_ == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    if (bytes % size_ != 0) return std::nullopt;
    return bytes / size_;
}

std::optional<std::int64_t> Datatype::elements_in(std::int64_t bytes) const
{
    if (size_ == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    std::int64_t elements = checked_multiply(bytes / size_, signature_.elements());
    std::int64_t rest = bytes % size_;
    // Down to where the bytes end: whole blocks, whole copies in the block, and then into the copy they end in.
    const Datatype* type = this;
    while (rest > 0) {
        if (const auto basic = type->signature_.uniform()) {
            const std::int64_t size = info(*basic).size;
            if (rest % size != 0) return std::nullopt;
            return checked_add(elements, rest / size);
        }
        if (type->predefined_) {
            if (rest != info(info(*type->predefined_).first).size) return std::nullopt;
            return checked_add(elements, std::int64_t{1});
        }
        for (std::int64_t i = 0;; ++i) {
            const Block part = type->block(i);
            const std::int64_t block_size = part.length * part.type->size_;
            if (rest < block_size) {
                elements += rest / part.type->size_ * part.type->signature_.elements();
                rest %= part.type->size_;
                type = part.type.get();
                break;
            }
            elements += part.length * part.type->signature_.elements();
            rest -= block_size;
            if (rest == 0) break;
        }
    }
    return elements;
}

bool signatures_match(const Datatype& a, std::int64_t count_a, const Datatype& b, std::int64_t count_b)
{
    require_count(count_a);
    require_count(count_b);
    if (a.signature().uniform() == Predefined::packed || b.signature().uniform() == Predefined::packed) return true;
    return a.signature().repeated(count_a) == b.signature().repeated(count_b);
}

}  // namespace fmpl::mpi
