// Data types made by MPI's constructors, each together with its type map as MPI-3.1, section 4.1 defines it: what a
// type must do, computed entry by entry.
#pragma once

#include "mpi_test.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mpi_test {

class MappedType {
public:
    struct Entry {
        MPI_Datatype basic;
        MPI_Aint at;
        int bytes;
    };
    struct Block {
        MPI_Aint at;  // in bytes
        int length;
    };

    static MappedType basic(MPI_Datatype type);
    static MappedType contiguous(int count, const MappedType& old);
    static MappedType vector(int count, int length, int stride, const MappedType& old);
    static MappedType hvector(int count, int length, MPI_Aint stride, const MappedType& old);
    static MappedType indexed(const std::vector<int>& lengths, const std::vector<int>& at, const MappedType& old);
    static MappedType hindexed(const std::vector<int>& lengths, const std::vector<MPI_Aint>& at, const MappedType& old);
    static MappedType indexed_block(int length, const std::vector<int>& at, const MappedType& old);
    static MappedType hindexed_block(int length, const std::vector<MPI_Aint>& at, const MappedType& old);
    static MappedType structure(
        const std::vector<int>& lengths, const std::vector<MPI_Aint>& at, const std::vector<const MappedType*>& old);
    static MappedType resized(MPI_Aint lower_bound, MPI_Aint extent, const MappedType& old);
    static MappedType dup(const MappedType& old);
    static MappedType subarray(const std::vector<int>& sizes, const std::vector<int>& subsizes,
        const std::vector<int>& starts, int order, const MappedType& old);
    static MappedType darray(int processes, int process, const std::vector<int>& sizes,
        const std::vector<int>& distributions, const std::vector<int>& arguments, const std::vector<int>& grid,
        int order, const MappedType& old);
    // The same signature, with `gap` bytes before each entry.
    static MappedType spread(const MappedType& like, int gap);
    // At most `depth` constructors inside each other, and a few thousand entries.
    static MappedType random(std::mt19937_64& random, int depth);

    MappedType(MappedType&& other) noexcept;
    MappedType& operator=(MappedType&&) = delete;
    ~MappedType();

    MPI_Datatype type() const { return type_; }
    const std::string& words() const { return words_; }
    const std::vector<Entry>& entries() const { return entries_; }
    MPI_Aint lower_bound() const { return lower_bound_; }
    MPI_Aint extent() const { return upper_bound_ - lower_bound_; }
    MPI_Aint true_lower_bound() const;
    MPI_Aint true_upper_bound() const;
    int bytes() const;

    void commit() { MPI_Type_commit(&type_); }
    // The displacement of every byte of `count` of them, in order.
    std::vector<MPI_Aint> places(int count) const;

private:
    MappedType() = default;
    void append(const MappedType& old, MPI_Aint at, int copies);
    static MappedType of_blocks(MPI_Datatype type, std::string words, const std::vector<Block>& blocks,
        const std::vector<const MappedType*>& old);
    void set_bounds(MPI_Aint lower, MPI_Aint upper);

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool is_basic_ = false;
    bool has_bounds_ = false;
    std::string words_{};
    std::vector<Entry> entries_{};
    MPI_Aint lower_bound_ = 0;
    MPI_Aint upper_bound_ = 0;
};

}  // namespace mpi_test
