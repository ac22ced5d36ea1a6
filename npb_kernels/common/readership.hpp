// Who reads what of that which the ranks of a group publish (Publication, communication.hpp): what the
// implementations over each library need to know of one another's ranks.
#pragma once

#include "communication.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace fmpl::npb {

class Readership {
public:
    // Both are collective over the group. All that this rank publishes is for every rank that names it as a source.
    static Readership of_sources(Group& group, std::size_t bytes, std::span<const int> sources);
    // bytes_for[rank] bytes are for that rank, one part behind the other in the order of the ranks.
    static Readership of_parts(Group& group, std::span<const std::size_t> bytes_for);

    struct Part {
        int rank;           // the other one
        std::size_t begin;  // in what is published
        std::size_t bytes;  // not 0
    };

    // Bytes that this rank publishes.
    std::size_t published() const { return published_; }
    // What it reads itself.
    std::size_t own_begin() const { return own_begin_; }
    std::size_t own_bytes() const { return own_bytes_; }
    // What it reads of other ranks, and what others read of it; from the next rank on, so that not all begin with the
    // same one.
    const std::vector<Part>& read() const { return read_; }
    const std::vector<Part>& given() const { return given_; }

private:
    std::size_t published_ = 0;
    std::size_t own_begin_ = 0;
    std::size_t own_bytes_ = 0;
    std::vector<Part> read_;
    std::vector<Part> given_;
};

}  // namespace fmpl::npb
