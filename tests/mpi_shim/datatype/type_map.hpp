// What the tests of the data type layer compare it with: the type map written out, entry by entry, as MPI-3.1, section
// 4.1 defines it, and random types together with theirs.
#pragma once

#include "datatype/datatype.hpp"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace fmpl_test {

struct Entry {
    fmpl::mpi::Predefined type;
    std::int64_t displacement;
};

// The list of entries with the bounds that the definitions give: a bound that is marked is that of the outermost
// marker.
struct TypeMap {
    std::vector<Entry> entries;
    std::vector<std::int64_t> lower_marks;
    std::vector<std::int64_t> upper_marks;
    std::int64_t padding = 0;  // of a structure's upper bound that no marker sets

    std::int64_t size() const;
    std::int64_t lower_bound() const;
    std::int64_t upper_bound() const;
    std::int64_t extent() const { return upper_bound() - lower_bound(); }
    std::int64_t true_lower_bound() const;
    std::int64_t true_upper_bound() const;
    std::int64_t alignment() const;
    // The displacement of every byte of `count` of them, in order.
    std::vector<std::int64_t> bytes(std::int64_t count) const;
};

TypeMap map_of(fmpl::mpi::Predefined type);
// For each (displacement, length): `length` copies one extent apart.
TypeMap map_of_blocks(const std::vector<std::pair<std::int64_t, int>>& blocks, const std::vector<TypeMap>& types);

struct TypeAndMap {
    fmpl::mpi::DatatypePtr type;
    TypeMap map;
};

// A random type of at most `depth` constructors inside each other, with at most a few thousand entries.
TypeAndMap random_type(std::mt19937_64& random, int depth);

}  // namespace fmpl_test
