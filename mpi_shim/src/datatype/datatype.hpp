// An MPI data type (MPI-3.1, chapter 4): a list of basic types with displacements, described by the constructor that
// made it.
//
// Immutable, and held by shared_ptr: a type lives as long as a handle, a pending message or another type made of it
// needs it. Any thread may use one that others use too. Sizes, bounds and displacements are bytes in 64 bits. Nothing
// blocks.
//
// Every constructor throws TypeError on an argument that the standard forbids, on a number beyond 64 bits, and on more
// than kDeepestNesting types inside each other. Counts and the like are int as in the C interface, and are kept for
// contents().
#pragma once

#include "datatype/checked.hpp"
#include "datatype/constants.hpp"
#include "datatype/inline_array.hpp"
#include "datatype/predefined.hpp"
#include "datatype/signature.hpp"
#include "datatype/type_error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace fmpl::mpi {

class Datatype;
using DatatypePtr = std::shared_ptr<const Datatype>;

// Types are walked by recursion; this bounds the stack that it takes.
inline constexpr int kDeepestNesting = 2048;

class Datatype {
    struct Private {
        explicit Private() = default;
    };

public:
    // What MPI_Type_get_contents gives: the constructor's arguments in the order of table 4.1.13's text.
    struct Contents {
        using Integers = InlineArray<int, 4>;
        using Addresses = InlineArray<std::int64_t, 2>;
        using Types = InlineArray<DatatypePtr, 1>;
        Integers integers;
        Addresses addresses;
        Types types;
    };

    // `length` copies of `type`, one extent apart, the first at `displacement`. A type's map is that of its blocks in
    // order.
    struct Block {
        std::int64_t displacement;
        std::int64_t length;
        const DatatypePtr& type;
    };

    // The blocks of a type that indexed, hindexed, indexed_block or hindexed_block has made.
    class IndexedBlocks {
    public:
        explicit IndexedBlocks(const Datatype& type);

        std::size_t size() const { return size_; }
        Block operator[](std::size_t i) const
        {
            const std::int64_t displacement = addresses_ != nullptr
                                                  ? addresses_[i]
                                                  : checked_multiply<std::int64_t>(displacements_[i], old_->extent());
            return {displacement, lengths_[one_length_ ? 0 : i], old_};
        }

    private:
        std::size_t size_;
        bool one_length_;
        const int* lengths_;
        const int* displacements_ = nullptr;       // in extents of the old type
        const std::int64_t* addresses_ = nullptr;  // or in bytes
        const DatatypePtr& old_;
    };

    static DatatypePtr predefined(Predefined type);
    static DatatypePtr contiguous(int count, const DatatypePtr& old);
    static DatatypePtr vector(int count, int block_length, int stride, const DatatypePtr& old);
    static DatatypePtr hvector(int count, int block_length, std::int64_t stride, const DatatypePtr& old);
    // The arrays have the same length.
    static DatatypePtr indexed(
        std::span<const int> block_lengths, std::span<const int> displacements, const DatatypePtr& old);
    static DatatypePtr hindexed(
        std::span<const int> block_lengths, std::span<const std::int64_t> displacements, const DatatypePtr& old);
    static DatatypePtr indexed_block(int block_length, std::span<const int> displacements, const DatatypePtr& old);
    static DatatypePtr hindexed_block(
        int block_length, std::span<const std::int64_t> displacements, const DatatypePtr& old);
    static DatatypePtr structure(std::span<const int> block_lengths, std::span<const std::int64_t> displacements,
        std::span<const DatatypePtr> types);
    static DatatypePtr subarray(std::span<const int> sizes, std::span<const int> subsizes, std::span<const int> starts,
        int order, const DatatypePtr& old);
    static DatatypePtr darray(int size, int rank, std::span<const int> global_sizes, std::span<const int> distributions,
        std::span<const int> arguments, std::span<const int> process_sizes, int order, const DatatypePtr& old);
    static DatatypePtr resized(const DatatypePtr& old, std::int64_t lower_bound, std::int64_t extent);
    static DatatypePtr dup(const DatatypePtr& old);

    // The same type under another name (MPI_Type_set_name).
    DatatypePtr renamed(std::string name) const;

    // Bytes of data in one of it.
    std::int64_t size() const { return size_; }
    std::int64_t lower_bound() const { return lower_bound_; }
    std::int64_t upper_bound() const { return upper_bound_; }
    std::int64_t extent() const { return upper_bound_ - lower_bound_; }
    std::int64_t true_lower_bound() const { return true_lower_bound_; }
    std::int64_t true_upper_bound() const { return true_upper_bound_; }
    std::int64_t true_extent() const { return true_upper_bound_ - true_lower_bound_; }
    // The largest alignment of a basic type in it; 1 without any.
    std::int64_t alignment() const { return alignment_; }
    // True when any number of them is one piece of memory, in the order of the type map.
    bool is_contiguous() const { return dense_ && (size_ == 0 || size_ == extent()); }

    // The name of a predefined type or the one given by renamed; else empty.
    const std::string& name() const { return name_; }

    Combiner combiner() const { return combiner_; }
    // The predefined type that this one is; none for one that a constructor made.
    std::optional<Predefined> predefined_id() const { return predefined_; }
    // Of a predefined type: nothing.
    const Contents& contents() const { return contents_; }

    const Signature& signature() const { return signature_; }

    // How many of this type `bytes` received bytes hold (MPI_Get_count); none where MPI says MPI_UNDEFINED: the bytes
    // end inside of one. bytes >= 0.
    std::optional<std::int64_t> count_in(std::int64_t bytes) const;
    // How many basic elements they hold (MPI_Get_elements); none where they end inside of one. A pair has two elements.
    std::optional<std::int64_t> elements_in(std::int64_t bytes) const;

    // The type map as blocks, for whoever walks it; a predefined type has none.
    std::int64_t block_count() const;
    Block block(std::int64_t index) const;

    // Use the constructors above.
    Datatype(Private, Combiner combiner) : combiner_(combiner) {}
    Datatype(const Datatype&) = default;
    Datatype& operator=(const Datatype&) = delete;

private:
    struct BoundsOfBlocks;

    static std::shared_ptr<Datatype> make(Combiner combiner, Contents contents);
    static std::shared_ptr<Datatype> make_like(Combiner combiner, Contents contents, DatatypePtr inner);
    static DatatypePtr wrap(
        Combiner combiner, Contents contents, DatatypePtr inner, std::int64_t lower_bound, std::int64_t upper_bound);
    // Without data, a type matters to the bounds of another only if its own are marked.
    bool counts_for_bounds() const { return size_ > 0 || lower_marked_ || upper_marked_; }
    // The displacement of the last copy in a block of this type that is not empty.
    std::int64_t last_copy(const Block& block) const
    {
        return checked_add(block.displacement, checked_multiply(block.length - 1, extent()));
    }
    void take(const BoundsOfBlocks& bounds);
    void describe_regular();
    void describe_indexed();
    void describe_structure();

    Combiner combiner_;
    std::optional<Predefined> predefined_;
    std::string name_;
    Contents contents_;
    DatatypePtr inner_;  // of a subarray, darray, resized type and dup: what has the same type map, but for the bounds
    std::int64_t size_ = 0;
    std::int64_t lower_bound_ = 0;
    std::int64_t upper_bound_ = 0;
    std::int64_t true_lower_bound_ = 0;
    std::int64_t true_upper_bound_ = 0;
    std::int64_t alignment_ = 1;
    bool lower_marked_ = false;  // the bound is set by a resized type, an array type or a marker, not by the data
    bool upper_marked_ = false;
    bool dense_ = true;  // one of it is one piece of memory, in the order of the type map
    int depth_ = 0;
    Signature signature_;
};

// True when `count_a` of `a` may be sent and `count_b` of `b` posted to receive them: the same sequence of basic types,
// or one side is of MPI_PACKED, which matches any (MPI-3.1, section 3.3.1). The receive may be longer; then compare
// prefixes by elements_in.
bool signatures_match(const Datatype& a, std::int64_t count_a, const Datatype& b, std::int64_t count_b);

}  // namespace fmpl::mpi
