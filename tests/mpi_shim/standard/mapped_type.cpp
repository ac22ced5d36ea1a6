#include "mapped_type.hpp"

#include <algorithm>

namespace mpi_test {
namespace {

template <class T>
std::string list(const std::vector<T>& values)
{
    std::string text = "[";
    for (const T& value : values) text += std::to_string(value) + " ";
    return text + "]";
}

// The indices of one dimension that process `coordinate` of `processes` holds, ascending.
std::vector<int> owned(int size, int distribution, int argument, int processes, int coordinate)
{
    std::vector<int> indices;
    int block = argument;
    if (distribution == MPI_DISTRIBUTE_NONE) {
        block = size;
    } else if (argument == MPI_DISTRIBUTE_DFLT_DARG) {
        block = distribution == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
    }
    for (int i = 0; i < size; ++i) {
        if (i / block % processes == coordinate) indices.push_back(i);
    }
    return indices;
}

// Calls `each` with the linear index of every element whose index in dimension d is one of indices[d], in the order
// of the array.
template <class Each>
void for_each_element(
    const std::vector<int>& sizes, const std::vector<std::vector<int>>& indices, int order, const Each& each)
{
    const std::size_t dimensions = sizes.size();
    for (const std::vector<int>& one : indices) {
        if (one.empty()) return;
    }
    const auto dimension = [&](std::size_t step) { return order == MPI_ORDER_C ? dimensions - 1 - step : step; };
    std::vector<std::size_t> at(dimensions, 0);
    for (;;) {
        MPI_Aint linear = 0;
        MPI_Aint stride = 1;
        for (std::size_t step = 0; step < dimensions; ++step) {
            const std::size_t d = dimension(step);
            linear += indices[d][at[d]] * stride;
            stride *= sizes[d];
        }
        each(linear);
        std::size_t step = 0;
        for (; step < dimensions; ++step) {  // the fastest dimension first
            const std::size_t d = dimension(step);
            if (++at[d] < indices[d].size()) break;
            at[d] = 0;
        }
        if (step == dimensions) return;
    }
}

MPI_Aint product(const std::vector<int>& sizes)
{
    MPI_Aint result = 1;
    for (const int size : sizes) result *= size;
    return result;
}

}  // namespace

MappedType::MappedType(MappedType&& other) noexcept
    : type_(other.type_),
      is_basic_(other.is_basic_),
      has_bounds_(other.has_bounds_),
      words_(std::move(other.words_)),
      entries_(std::move(other.entries_)),
      lower_bound_(other.lower_bound_),
      upper_bound_(other.upper_bound_)
{
    other.type_ = MPI_DATATYPE_NULL;
}

MappedType::~MappedType()
{
    if (!is_basic_ && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

int MappedType::bytes() const
{
    int sum = 0;
    for (const Entry& e : entries_) sum += e.bytes;
    return sum;
}

MPI_Aint MappedType::true_lower_bound() const
{
    MPI_Aint result = entries_.empty() ? 0 : entries_.front().at;
    for (const Entry& e : entries_) result = std::min(result, e.at);
    return result;
}

MPI_Aint MappedType::true_upper_bound() const
{
    MPI_Aint result = entries_.empty() ? 0 : entries_.front().at + entries_.front().bytes;
    for (const Entry& e : entries_) result = std::max(result, e.at + e.bytes);
    return result;
}

std::vector<MPI_Aint> MappedType::places(int count) const
{
    std::vector<MPI_Aint> result;
    for (int i = 0; i < count; ++i) {
        for (const Entry& e : entries_) {
            for (int b = 0; b < e.bytes; ++b) result.push_back(i * extent() + e.at + b);
        }
    }
    return result;
}

void MappedType::append(const MappedType& old, MPI_Aint at, int copies)
{
    for (int i = 0; i < copies; ++i) {
        const MPI_Aint place = at + i * old.extent();
        for (const Entry& e : old.entries_) entries_.push_back({e.basic, place + e.at, e.bytes});
        const MPI_Aint lower = place + old.lower_bound_;
        const MPI_Aint upper = place + old.upper_bound_;
        set_bounds(
            has_bounds_ ? std::min(lower_bound_, lower) : lower, has_bounds_ ? std::max(upper_bound_, upper) : upper);
    }
}

void MappedType::set_bounds(MPI_Aint lower, MPI_Aint upper)
{
    lower_bound_ = lower;
    upper_bound_ = upper;
    has_bounds_ = true;
}

MappedType MappedType::of_blocks(
    MPI_Datatype type, std::string words, const std::vector<Block>& blocks, const std::vector<const MappedType*>& old)
{
    MappedType result;
    result.type_ = type;
    result.words_ = std::move(words) + " of (";
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        result.append(*old[std::min(i, old.size() - 1)], blocks[i].at, blocks[i].length);
    }
    for (const MappedType* one : old) result.words_ += one->words_ + ";";
    result.words_ += ")";
    return result;
}

MappedType MappedType::basic(MPI_Datatype type)
{
    MappedType result;
    result.type_ = type;
    result.is_basic_ = true;
    int bytes = 0;
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &lower, &extent);
    result.entries_.push_back({type, 0, bytes});
    result.set_bounds(0, extent);
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Type_get_name(type, name, &length);
    result.words_ = name;
    return result;
}

MappedType MappedType::contiguous(int count, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, old.type_, &type);
    return of_blocks(type, "contiguous " + std::to_string(count), {{0, count}}, {&old});
}

MappedType MappedType::vector(int count, int length, int stride, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, length, stride, old.type_, &type);
    std::vector<Block> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back({i * stride * old.extent(), length});
    return of_blocks(type, "vector " + list<int>({count, length, stride}), blocks, {&old});
}

MappedType MappedType::hvector(int count, int length, MPI_Aint stride, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(count, length, stride, old.type_, &type);
    std::vector<Block> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back({i * stride, length});
    return of_blocks(type, "hvector " + list<MPI_Aint>({count, length, stride}), blocks, {&old});
}

MappedType MappedType::indexed(const std::vector<int>& lengths, const std::vector<int>& at, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), at.data(), old.type_, &type);
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < at.size(); ++i) blocks.push_back({at[i] * old.extent(), lengths[i]});
    return of_blocks(type, "indexed " + list(lengths) + list(at), blocks, {&old});
}

MappedType MappedType::hindexed(const std::vector<int>& lengths, const std::vector<MPI_Aint>& at, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), at.data(), old.type_, &type);
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < at.size(); ++i) blocks.push_back({at[i], lengths[i]});
    return of_blocks(type, "hindexed " + list(lengths) + list(at), blocks, {&old});
}

MappedType MappedType::indexed_block(int length, const std::vector<int>& at, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(static_cast<int>(at.size()), length, at.data(), old.type_, &type);
    std::vector<Block> blocks;
    for (const int place : at) blocks.push_back({place * old.extent(), length});
    return of_blocks(type, "indexed_block " + std::to_string(length) + list(at), blocks, {&old});
}

MappedType MappedType::hindexed_block(int length, const std::vector<MPI_Aint>& at, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(static_cast<int>(at.size()), length, at.data(), old.type_, &type);
    std::vector<Block> blocks;
    for (const MPI_Aint place : at) blocks.push_back({place, length});
    return of_blocks(type, "hindexed_block " + std::to_string(length) + list(at), blocks, {&old});
}

MappedType MappedType::structure(
    const std::vector<int>& lengths, const std::vector<MPI_Aint>& at, const std::vector<const MappedType*>& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::vector<MPI_Datatype> types;
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < at.size(); ++i) {
        types.push_back(old[i]->type_);
        blocks.push_back({at[i], lengths[i]});
    }
    MPI_Type_create_struct(static_cast<int>(at.size()), lengths.data(), at.data(), types.data(), &type);
    return of_blocks(type, "struct " + list(lengths) + list(at), blocks, old);
}

MappedType MappedType::resized(MPI_Aint lower_bound, MPI_Aint extent, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(old.type_, lower_bound, extent, &type);
    MappedType result = of_blocks(type, "resized " + list<MPI_Aint>({lower_bound, extent}), {{0, 1}}, {&old});
    result.set_bounds(lower_bound, lower_bound + extent);
    return result;
}

MappedType MappedType::dup(const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(old.type_, &type);
    return of_blocks(type, "dup", {{0, 1}}, {&old});
}

MappedType MappedType::subarray(const std::vector<int>& sizes, const std::vector<int>& subsizes,
    const std::vector<int>& starts, int order, const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(
        static_cast<int>(sizes.size()), sizes.data(), subsizes.data(), starts.data(), order, old.type_, &type);
    std::vector<std::vector<int>> indices(sizes.size());
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        for (int i = 0; i < subsizes[d]; ++i) indices[d].push_back(starts[d] + i);
    }
    std::vector<Block> blocks;
    for_each_element(sizes, indices, order, [&](MPI_Aint i) { blocks.push_back({i * old.extent(), 1}); });
    MappedType result = of_blocks(type,
        "subarray " + list(sizes) + list(subsizes) + list(starts) + (order == MPI_ORDER_C ? "C" : "Fortran"), blocks,
        {&old});
    result.set_bounds(0, product(sizes) * old.extent());
    return result;
}

MappedType MappedType::darray(int processes, int process, const std::vector<int>& sizes,
    const std::vector<int>& distributions, const std::vector<int>& arguments, const std::vector<int>& grid, int order,
    const MappedType& old)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_darray(processes, process, static_cast<int>(sizes.size()), sizes.data(), distributions.data(),
        arguments.data(), grid.data(), order, old.type_, &type);
    // The grid of processes is in C's order always.
    std::vector<std::vector<int>> indices(sizes.size());
    int rest = process;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        indices[d] = owned(sizes[d], distributions[d], arguments[d], grid[d], rest % grid[d]);
        rest /= grid[d];
    }
    std::vector<Block> blocks;
    for_each_element(sizes, indices, order, [&](MPI_Aint i) { blocks.push_back({i * old.extent(), 1}); });
    MappedType result = of_blocks(type,
        "darray " + std::to_string(process) + " of " + list(grid) + list(sizes) + list(distributions) +
            list(arguments) + (order == MPI_ORDER_C ? "C" : "Fortran"),
        blocks, {&old});
    result.set_bounds(0, product(sizes) * old.extent());
    return result;
}

MappedType MappedType::spread(const MappedType& like, int gap)
{
    std::vector<int> lengths;
    std::vector<MPI_Aint> at;
    std::vector<MPI_Datatype> types;
    MappedType result;
    MPI_Aint next = 0;
    for (const Entry& e : like.entries_) {
        next += gap;
        lengths.push_back(1);
        at.push_back(next);
        types.push_back(e.basic);
        result.entries_.push_back({e.basic, next, e.bytes});
        next += e.bytes;
    }
    MPI_Datatype unpadded = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(at.size()), lengths.data(), at.data(), types.data(), &unpadded);
    MPI_Type_create_resized(unpadded, 0, next, &result.type_);
    MPI_Type_free(&unpadded);
    result.set_bounds(0, next);
    result.words_ = "spread by " + std::to_string(gap);
    return result;
}

MappedType MappedType::random(std::mt19937_64& random, int depth)
{
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    if (depth == 0) {
        const MPI_Datatype basics[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_FLOAT, MPI_LONG_LONG, MPI_BYTE,
            MPI_UNSIGNED, MPI_C_DOUBLE_COMPLEX};
        return basic(basics[random() % std::size(basics)]);
    }
    const MappedType old = MappedType::random(random, depth - 1 - below(2) * (depth > 1 ? 1 : 0));
    const bool is_big = old.entries_.size() > 150;
    const int count = is_big ? 1 + below(2) : 1 + below(4);
    const int length = is_big ? 1 : 1 + below(3);
    std::vector<int> lengths;
    std::vector<int> at;
    std::vector<MPI_Aint> at_bytes;
    int next = below(7) - 3;
    for (int i = 0; i < count; ++i) {
        lengths.push_back(below(5) == 0 && i > 0 ? 0 : length);
        at.push_back(next);
        at_bytes.push_back(next * old.extent() + (old.extent() > 0 ? 0 : i));
        next += length + below(3);
    }
    if (below(3) == 0) {
        std::reverse(at.begin(), at.end());
        std::reverse(at_bytes.begin(), at_bytes.end());
    }
    const bool has_empty_block = std::find(lengths.begin(), lengths.end(), 0) != lengths.end();
    const bool is_open = has_empty_block || old.extent() <= 0;
    // Where libraries differ about bounds (empty blocks, the padding of structures and of unaligned types), they are
    // set.
    const auto bounded = [&](const MappedType& type) {
        const MPI_Aint lower = type.true_lower_bound() - below(3) * 8;
        const MPI_Aint upper = type.true_upper_bound() + below(3) * 8;
        return resized(lower, upper - lower, type);
    };
    switch (below(11)) {
        case 0:
            return contiguous(count, old);
        case 1:
            return vector(count, length, (length + below(3)) * (below(2) == 0 ? 1 : -1), old);
        case 2:
            return bounded(hvector(count, length, (length * old.extent() + below(9)) * (below(2) == 0 ? 1 : -1), old));
        case 3: {
            MappedType type = indexed(lengths, at, old);
            return is_open ? bounded(type) : std::move(type);
        }
        case 4: {
            MappedType type = hindexed(lengths, at_bytes, old);
            return is_open ? bounded(type) : std::move(type);
        }
        case 5:
            return indexed_block(length, at, old);
        case 6:
            return bounded(hindexed_block(length, at_bytes, old));
        case 7: {
            const MappedType other = MappedType::random(random, 0);
            std::vector<const MappedType*> types(lengths.size(), &old);
            types.back() = &other;
            at_bytes.back() = *std::max_element(at_bytes.begin(), at_bytes.end()) + length * old.extent() + 64;
            return bounded(structure(lengths, at_bytes, types));
        }
        case 8:
            return bounded(old);
        case 9: {
            const int order = below(2) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
            return subarray({3, 1 + count}, {2, count}, {below(2), below(2)}, order, old);
        }
        default:
            return dup(old);
    }
}

}  // namespace mpi_test
