// The parts that a compiled layout consists of. A part's first byte in the order of the type map is at offset 0;
// whoever refers to it adds the displacement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fmpl::mpi {

class Datatype;
struct LayoutNode;
using NodePtr = std::shared_ptr<const LayoutNode>;

struct LayoutPart {
    std::uint64_t size = 0;  // packed bytes
    NodePtr node;            // null: one block of memory

    bool is_block() const { return node == nullptr; }
};

struct LayoutNode {
    enum class Kind : std::uint8_t {
        loop,     // `count` times `child`, `stride` bytes apart
        indexed,  // `child` at each of `displacements`
        runs,     // at displacements[i], the bytes begins[i] to begins[i + 1] of the packed form
        list,     // the same, but not one piece of memory each: children[i]
    };

    explicit LayoutNode(Kind its_kind) : kind(its_kind) {}

    Kind kind;
    std::uint64_t count = 0;
    std::int64_t stride = 0;
    LayoutPart child;
    std::vector<std::int64_t> displacements;
    std::vector<std::uint64_t> begins;
    std::vector<LayoutPart> children;
};

// A part and where it lies.
struct Shape {
    std::int64_t offset = 0;
    LayoutPart part;
};

// What has no bytes has the shape of a block of size 0 at offset 0.
Shape compile_shape(const Datatype& type);

}  // namespace fmpl::mpi
