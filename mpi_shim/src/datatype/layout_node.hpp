// The nodes of a compiled layout. A node's first byte in the order of the type map is at offset 0; whoever refers to it
// adds the displacement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fmpl::mpi {

class Datatype;
struct LayoutNode;
using NodePtr = std::shared_ptr<const LayoutNode>;

struct LayoutNode {
    enum class Kind : std::uint8_t {
        block,    // `size` bytes
        loop,     // `count` times `child`, `stride` bytes apart
        indexed,  // `child` at each of `displacements`
        runs,     // at displacements[i], the bytes begins[i] to begins[i + 1] of the packed form
        list,     // the same, but not one piece of memory each: children[i]
    };

    Kind kind = Kind::block;
    std::uint64_t size = 0;  // packed bytes
    std::uint64_t count = 0;
    std::int64_t stride = 0;
    NodePtr child;
    std::vector<std::int64_t> displacements;
    std::vector<std::uint64_t> begins;
    std::vector<NodePtr> children;
};

// A node and where it lies.
struct Shape {
    std::int64_t offset;
    NodePtr node;
};

// What has no bytes has the shape of a block of size 0 at offset 0.
Shape compile_shape(const Datatype& type);

}  // namespace fmpl::mpi
