#include "datatype/layout_node.hpp"

#include "datatype/datatype.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace fmpl::mpi {
namespace {

using NodeKind = LayoutNode::Kind;

// Lists inside of lists are spliced while they are no longer than this.
constexpr std::size_t kLongestSpliced = 16;

// Displacements may wrap around while they are put together; what comes out is inside of the type's checked bounds.
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapped_difference(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

Shape make_loop(std::uint64_t count, std::int64_t stride, const Shape& child)
{
    const LayoutPart& inner = child.part;
    if (count == 0 || inner.size == 0) return {};
    if (count == 1) return child;
    const std::uint64_t size = count * inner.size;
    if (inner.is_block() && static_cast<std::uint64_t>(stride) == inner.size) return {child.offset, {size, nullptr}};
    auto node = std::make_shared<LayoutNode>(NodeKind::loop);
    // A loop of loops that go on where the last one ended is one loop.
    std::int64_t whole;
    if (!inner.is_block() && inner.node->kind == NodeKind::loop &&
        !__builtin_mul_overflow(static_cast<std::int64_t>(inner.node->count), inner.node->stride, &whole) &&
        whole == stride) {
        node->count = count * inner.node->count;
        node->stride = inner.node->stride;
        node->child = inner.node->child;
    } else {
        node->count = count;
        node->stride = stride;
        node->child = inner;
    }
    return {child.offset, {size, std::move(node)}};
}

// Collects pieces in the order of the type map and finds the shortest form for them.
class Collector {
public:
    // One that splices puts the pieces of short lists in the place of the list. There will be about `pieces` of them.
    explicit Collector(std::size_t pieces, bool splices = false) : splices_(splices) { pieces_.reserve(pieces); }

    void add(std::int64_t displacement, const LayoutPart& part)
    {
        if (part.is_block()) {
            add_block(displacement, part.size);
            return;
        }
        const LayoutNode& node = *part.node;
        if (splices_ && node.kind == NodeKind::runs && is_short(node)) {
            for (std::size_t i = 0; i < node.displacements.size(); ++i) {
                add_block(wrapped_sum(displacement, node.displacements[i]), node.begins[i + 1] - node.begins[i]);
            }
        } else if (splices_ && node.kind == NodeKind::list && is_short(node)) {
            for (std::size_t i = 0; i < node.displacements.size(); ++i) {
                add(wrapped_sum(displacement, node.displacements[i]), node.children[i]);
            }
        } else {
            if (nodes_.empty() || nodes_.back() != part.node) nodes_.push_back(part.node);
            pieces_.push_back({displacement, part.size, nodes_.size()});
        }
    }

    void add_block(std::int64_t displacement, std::uint64_t size)
    {
        if (size == 0) return;
        if (!pieces_.empty() && pieces_.back().node == 0 &&
            wrapped_sum(pieces_.back().displacement, static_cast<std::int64_t>(pieces_.back().size)) == displacement) {
            pieces_.back().size += size;
            return;
        }
        pieces_.push_back({displacement, size, 0});
    }

    Shape shape()
    {
        if (pieces_.empty()) return {};
        const std::int64_t origin = pieces_[0].displacement;
        if (pieces_.size() == 1) return {origin, part_of(pieces_[0])};

        bool equal = true;
        bool blocks = true;
        bool regular = true;
        const std::int64_t stride = wrapped_difference(pieces_[1].displacement, origin);
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const Piece& piece = pieces_[i];
            equal = equal && piece.node == pieces_[0].node && piece.size == pieces_[0].size;
            blocks = blocks && piece.node == 0;
            regular =
                regular && (i == 0 || wrapped_difference(piece.displacement, pieces_[i - 1].displacement) == stride);
        }
        if (equal && regular) return make_loop(pieces_.size(), stride, {origin, part_of(pieces_[0])});
        if (!equal && !splices_ && has_short_list()) {
            Collector spliced(pieces_.size(), true);
            for (const Piece& piece : pieces_) spliced.add(piece.displacement, part_of(piece));
            return spliced.shape();
        }

        const std::size_t count = pieces_.size();
        auto node = std::make_shared<LayoutNode>(equal ? NodeKind::indexed : blocks ? NodeKind::runs : NodeKind::list);
        node->count = count;
        node->displacements.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            node->displacements[i] = wrapped_difference(pieces_[i].displacement, origin);
        }
        if (equal) {
            node->child = part_of(pieces_[0]);
            return {origin, {count * pieces_[0].size, std::move(node)}};
        }
        node->begins.resize(count + 1);
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < count; ++i) {
            size += pieces_[i].size;
            node->begins[i + 1] = size;
        }
        if (!blocks) {
            node->children.reserve(count);
            for (const Piece& piece : pieces_) node->children.push_back(part_of(piece));
        }
        return {origin, {size, std::move(node)}};
    }

private:
    struct Piece {
        std::int64_t displacement;
        std::uint64_t size;
        std::size_t node;  // 0 for a block, else 1 more than its place in nodes_
    };

    static bool is_short(const LayoutNode& node) { return node.displacements.size() <= kLongestSpliced; }

    bool has_short_list() const
    {
        return std::any_of(nodes_.begin(), nodes_.end(), [](const NodePtr& node) {
            return (node->kind == NodeKind::runs || node->kind == NodeKind::list) && is_short(*node);
        });
    }

    LayoutPart part_of(const Piece& piece) const
    {
        return {piece.size, piece.node == 0 ? nullptr : nodes_[piece.node - 1]};
    }

    bool splices_;
    std::vector<Piece> pieces_;
    std::vector<NodePtr> nodes_;
};

class Compiler {
public:
    Shape compile(const Datatype& type)
    {
        if (type.size() == 0) return {};
        if (type.predefined_id()) return basic(*type.predefined_id());
        if (!in_structure_) return derived(type);
        const auto known = done_.find(&type);
        if (known != done_.end()) return known->second;
        return done_.emplace(&type, derived(type)).first->second;
    }

private:
    Shape derived(const Datatype& type)
    {
        switch (type.combiner()) {
            case Combiner::structure:
                return structure(type);
            case Combiner::vector:
            case Combiner::hvector: {
                // The blocks are equal and equally far apart.
                const std::int64_t count = type.block_count();
                const std::int64_t stride = count > 1 ? type.block(1).displacement : 0;
                const Datatype::Block first = type.block(0);
                return make_loop(static_cast<std::uint64_t>(count), stride, repeated(first, compile(*first.type)));
            }
            default:
                return type.block_count() == 1 ? single(type.block(0)) : indexed(type);
        }
    }

    static Shape basic(Predefined id)
    {
        const PredefinedInfo& about = info(id);
        if (about.kind != mpi::Kind::pair) return {0, {about.size, nullptr}};
        Collector collector(2);
        collector.add_block(0, info(about.first).size);
        collector.add_block(about.second_at, info(about.second).size);
        return collector.shape();
    }

    Shape single(const Datatype::Block& block)
    {
        Shape shape = repeated(block, compile(*block.type));
        shape.offset = wrapped_sum(block.displacement, shape.offset);
        return shape;
    }

    // Blocks of one type.
    Shape indexed(const Datatype& type)
    {
        const Datatype::IndexedBlocks blocks(type);
        const Shape one = compile(*blocks[0].type);
        Collector collector(blocks.size());
        std::map<std::int64_t, Shape> repetitions;  // equal blocks share a node
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const Datatype::Block block = blocks[i];
            if (block.length == 0 || add_plain(collector, block, one)) continue;
            const auto [entry, is_new] = repetitions.try_emplace(block.length);
            if (is_new) entry->second = repeated(block, one);
            add(collector, block, entry->second);
        }
        return collector.shape();
    }

    Shape structure(const Datatype& type)
    {
        in_structure_ = true;
        const std::int64_t count = type.block_count();
        Collector collector(static_cast<std::size_t>(count));
        std::map<std::pair<const Datatype*, std::int64_t>, Shape> blocks;  // equal blocks share a node
        for (std::int64_t i = 0; i < count; ++i) {
            const Datatype::Block block = type.block(i);
            if (block.length == 0 || block.type->size() == 0) continue;
            const Shape one = compile(*block.type);
            if (add_plain(collector, block, one)) continue;
            const auto [entry, is_new] = blocks.try_emplace({block.type.get(), block.length});
            if (is_new) entry->second = repeated(block, one);
            add(collector, block, entry->second);
        }
        return collector.shape();
    }

    // True when the block, of types of shape `one`, is one piece of memory; then it is added.
    static bool add_plain(Collector& collector, const Datatype::Block& block, const Shape& one)
    {
        if (!one.part.is_block()) return false;
        if (block.length > 1 && static_cast<std::uint64_t>(block.type->extent()) != one.part.size) return false;
        collector.add_block(
            wrapped_sum(block.displacement, one.offset), static_cast<std::uint64_t>(block.length) * one.part.size);
        return true;
    }

    static void add(Collector& collector, const Datatype::Block& block, const Shape& shape)
    {
        collector.add(wrapped_sum(block.displacement, shape.offset), shape.part);
    }

    // A block of types of shape `one`, without its displacement.
    static Shape repeated(const Datatype::Block& block, const Shape& one)
    {
        return make_loop(static_cast<std::uint64_t>(block.length), block.type->extent(), one);
    }

    // Only below a structure can a type occur several times; there each is compiled once.
    bool in_structure_ = false;
    std::unordered_map<const Datatype*, Shape> done_;
};

}  // namespace

Shape compile_shape(const Datatype& type)
{
    return Compiler().compile(type);
}

}  // namespace fmpl::mpi
