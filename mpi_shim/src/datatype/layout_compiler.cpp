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

NodePtr make_block(std::uint64_t size)
{
    auto node = std::make_shared<LayoutNode>();
    node->size = size;
    return node;
}

Shape nothing()
{
    return {0, make_block(0)};
}

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
    const LayoutNode& inner = *child.node;
    if (count == 0 || inner.size == 0) return nothing();
    if (count == 1) return child;
    if (inner.kind == NodeKind::block && static_cast<std::uint64_t>(stride) == inner.size) {
        return {child.offset, make_block(count * inner.size)};
    }
    auto node = std::make_shared<LayoutNode>();
    node->kind = NodeKind::loop;
    node->size = count * inner.size;
    node->count = count;
    node->stride = stride;
    node->child = child.node;
    // A loop of loops that go on where the last one ended is one loop.
    std::int64_t whole;
    if (inner.kind == NodeKind::loop &&
        !__builtin_mul_overflow(static_cast<std::int64_t>(inner.count), inner.stride, &whole) && whole == stride) {
        node->count = count * inner.count;
        node->stride = inner.stride;
        node->child = inner.child;
    }
    return {child.offset, std::move(node)};
}

// Collects pieces in the order of the type map and finds the shortest form for them.
class Collector {
public:
    // One that splices puts the pieces of short lists in the place of the list.
    explicit Collector(bool splices = false) : splices_(splices) {}

    void add(std::int64_t displacement, const NodePtr& node)
    {
        const LayoutNode& n = *node;
        if (n.size == 0) return;
        if (n.kind == NodeKind::block) {
            add_block(displacement, n.size);
        } else if (splices_ && n.kind == NodeKind::runs && is_short(n)) {
            for (std::size_t i = 0; i < n.displacements.size(); ++i) {
                add_block(wrapped_sum(displacement, n.displacements[i]), n.begins[i + 1] - n.begins[i]);
            }
        } else if (splices_ && n.kind == NodeKind::list && is_short(n)) {
            for (std::size_t i = 0; i < n.displacements.size(); ++i) {
                add(wrapped_sum(displacement, n.displacements[i]), n.children[i]);
            }
        } else {
            if (nodes_.empty() || nodes_.back() != node) nodes_.push_back(node);
            pieces_.push_back({displacement, n.size, nodes_.size()});
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
        if (pieces_.empty()) return nothing();
        const std::int64_t origin = pieces_[0].displacement;
        if (pieces_.size() == 1) return {origin, node_of(pieces_[0])};

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
        if (equal && regular) return make_loop(pieces_.size(), stride, {origin, node_of(pieces_[0])});
        if (!equal && !splices_ && has_short_list()) {
            Collector spliced(true);
            for (const Piece& piece : pieces_) {
                if (piece.node == 0) {
                    spliced.add_block(piece.displacement, piece.size);
                } else {
                    spliced.add(piece.displacement, nodes_[piece.node - 1]);
                }
            }
            return spliced.shape();
        }

        auto node = std::make_shared<LayoutNode>();
        node->kind = equal ? NodeKind::indexed : blocks ? NodeKind::runs : NodeKind::list;
        node->count = pieces_.size();
        node->displacements.reserve(pieces_.size());
        if (equal) {
            node->child = node_of(pieces_[0]);
        } else {
            node->begins.reserve(pieces_.size() + 1);
            if (!blocks) node->children.reserve(pieces_.size());
        }
        for (const Piece& piece : pieces_) {
            node->displacements.push_back(wrapped_difference(piece.displacement, origin));
            if (!equal) node->begins.push_back(node->size);
            if (!equal && !blocks) node->children.push_back(node_of(piece));
            node->size += piece.size;
        }
        if (!equal) node->begins.push_back(node->size);
        return {origin, std::move(node)};
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

    NodePtr node_of(const Piece& piece) const
    {
        return piece.node == 0 ? make_block(piece.size) : nodes_[piece.node - 1];
    }

    bool splices_;
    std::vector<Piece> pieces_;
    std::vector<NodePtr> nodes_;
};

// Types that occur several times are compiled once.
class Compiler {
public:
    Shape compile(const Datatype& type)
    {
        if (type.size() == 0) return nothing();
        const auto known = done_.find(&type);
        if (known != done_.end()) return known->second;
        Shape shape = type.predefined_id() ? basic(*type.predefined_id()) : derived(type);
        done_.emplace(&type, shape);
        return shape;
    }

private:
    static Shape basic(Predefined id)
    {
        const PredefinedInfo& about = info(id);
        Collector collector;
        if (about.kind == mpi::Kind::pair) {
            collector.add_block(0, info(about.first).size);
            collector.add_block(about.second_at, info(about.second).size);
        } else {
            collector.add_block(0, about.size);
        }
        return collector.shape();
    }

    Shape derived(const Datatype& type)
    {
        const std::int64_t count = type.block_count();
        switch (type.combiner()) {
            case Combiner::contiguous:
                return repeated(type.block(0));
            case Combiner::vector:
            case Combiner::hvector: {
                // The blocks are equal and equally far apart.
                const Datatype::Block first = type.block(0);
                const std::int64_t stride = count > 1 ? type.block(1).displacement : 0;
                return make_loop(static_cast<std::uint64_t>(count), stride, repeated(first));
            }
            default:
                break;
        }
        Collector collector;
        std::map<std::pair<const Datatype*, std::int64_t>, Shape> blocks;  // equal blocks share a node
        for (std::int64_t i = 0; i < count; ++i) {
            const Datatype::Block block = type.block(i);
            if (block.length == 0 || block.type->size() == 0) continue;
            const Shape one = compile(*block.type);
            if (one.node->kind == NodeKind::block &&
                (block.length == 1 || static_cast<std::uint64_t>(block.type->extent()) == one.node->size)) {
                collector.add_block(wrapped_sum(block.displacement, one.offset),
                    static_cast<std::uint64_t>(block.length) * one.node->size);
                continue;
            }
            const auto [entry, is_new] = blocks.try_emplace({block.type.get(), block.length}, Shape{0, nullptr});
            if (is_new) entry->second = repeated(block);
            collector.add(wrapped_sum(block.displacement, entry->second.offset), entry->second.node);
        }
        return collector.shape();
    }

    // A block of a type map, without its displacement.
    Shape repeated(const Datatype::Block& block)
    {
        return make_loop(static_cast<std::uint64_t>(block.length), block.type->extent(), compile(*block.type));
    }

    std::unordered_map<const Datatype*, Shape> done_;
};

}  // namespace

Shape compile_shape(const Datatype& type)
{
    return Compiler().compile(type);
}

}  // namespace fmpl::mpi
