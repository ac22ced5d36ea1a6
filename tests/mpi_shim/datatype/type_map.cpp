#include "type_map.hpp"

#include <algorithm>
#include <array>

namespace fmpl_test {

using namespace fmpl::mpi;

namespace {

constexpr std::size_t kMostEntries = 3000;

int between(std::mt19937_64& random, int least, int most)
{
    return std::uniform_int_distribution<int>(least, most)(random);
}

}  // namespace

std::int64_t TypeMap::size() const
{
    std::int64_t sum = 0;
    for (const Entry& entry : entries) sum += info(entry.type).size;
    return sum;
}

std::int64_t TypeMap::true_lower_bound() const
{
    if (entries.empty()) return 0;
    return std::min_element(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.displacement < b.displacement;
    })->displacement;
}

std::int64_t TypeMap::true_upper_bound() const
{
    if (entries.empty()) return 0;
    std::int64_t most = INT64_MIN;
    for (const Entry& entry : entries) most = std::max(most, entry.displacement + info(entry.type).size);
    return most;
}

std::int64_t TypeMap::lower_bound() const
{
    return lower_marks.empty() ? true_lower_bound() : *std::min_element(lower_marks.begin(), lower_marks.end());
}

std::int64_t TypeMap::upper_bound() const
{
    if (!upper_marks.empty()) return *std::max_element(upper_marks.begin(), upper_marks.end());
    return true_upper_bound() + padding;
}

std::int64_t TypeMap::alignment() const
{
    std::int64_t most = 1;
    for (const Entry& entry : entries) most = std::max<std::int64_t>(most, info(entry.type).alignment);
    return most;
}

std::vector<std::int64_t> TypeMap::bytes(std::int64_t count) const
{
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < count; ++i) {
        for (const Entry& entry : entries) {
            for (std::int64_t b = 0; b < info(entry.type).size; ++b) {
                places.push_back(i * extent() + entry.displacement + b);
            }
        }
    }
    return places;
}

TypeMap map_of(Predefined type)
{
    TypeMap map;
    const PredefinedInfo& about = info(type);
    if (about.kind == Kind::pair) {
        map.entries = {{about.first, 0}, {about.second, about.second_at}};
        map.padding = about.extent - (about.second_at + info(about.second).size);
    } else {
        map.entries = {{type, 0}};
    }
    return map;
}

TypeMap map_of_blocks(const std::vector<std::pair<std::int64_t, int>>& blocks, const std::vector<TypeMap>& types)
{
    TypeMap map;
    std::int64_t natural_end = INT64_MIN;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const TypeMap& type = types[types.size() == 1 ? 0 : b];
        for (int i = 0; i < blocks[b].second; ++i) {
            const std::int64_t at = blocks[b].first + i * type.extent();
            for (const Entry& entry : type.entries) map.entries.push_back({entry.type, at + entry.displacement});
            for (const std::int64_t mark : type.lower_marks) map.lower_marks.push_back(at + mark);
            for (const std::int64_t mark : type.upper_marks) map.upper_marks.push_back(at + mark);
            if (!type.entries.empty()) natural_end = std::max(natural_end, at + type.upper_bound());
        }
    }
    // The marks further inside are of no effect, and would be many.
    if (!map.lower_marks.empty()) map.lower_marks = {map.lower_bound()};
    if (!map.upper_marks.empty()) map.upper_marks = {map.upper_bound()};
    if (!map.entries.empty()) map.padding = natural_end - map.true_upper_bound();
    return map;
}

TypeAndMap random_type(std::mt19937_64& random, int depth)
{
    if (depth == 0) {
        constexpr std::array kBasic = {Predefined::character, Predefined::short_int, Predefined::integer,
            Predefined::double_real, Predefined::long_double, Predefined::c_double_complex, Predefined::short_and_int,
            Predefined::double_and_int, Predefined::byte};
        const Predefined id = kBasic[static_cast<std::size_t>(between(random, 0, kBasic.size() - 1))];
        return {Datatype::predefined(id), map_of(id)};
    }
    const TypeAndMap old = random_type(random, between(random, 0, depth - 1));
    if (old.map.entries.size() > kMostEntries / 8) return old;
    const std::int64_t extent = old.map.extent();
    const int count = between(random, 0, 5);
    std::vector<std::pair<std::int64_t, int>> blocks;
    std::vector<int> lengths;
    std::vector<int> places;
    std::vector<std::int64_t> addresses;
    const int block_length = between(random, 0, 3);
    const bool ascending = between(random, 0, 1) == 1;
    for (int i = 0, next = 0; i < count; ++i) {
        lengths.push_back(between(random, 0, 3));
        places.push_back(ascending ? next : between(random, -9, 9));
        next += lengths.back() + between(random, 0, 1);
        addresses.push_back(between(random, -90, 90));
    }
    switch (between(random, 0, 10)) {
        case 0:
            return {Datatype::contiguous(count, old.type), map_of_blocks({{0, count}}, {old.map})};
        case 1: {
            const int stride = between(random, -4, 6);
            for (int i = 0; i < count; ++i) blocks.emplace_back(i * stride * extent, block_length);
            return {Datatype::vector(count, block_length, stride, old.type), map_of_blocks(blocks, {old.map})};
        }
        case 2: {
            const int stride = between(random, -60, 90);
            for (int i = 0; i < count; ++i) blocks.emplace_back(i * stride, block_length);
            return {Datatype::hvector(count, block_length, stride, old.type), map_of_blocks(blocks, {old.map})};
        }
        case 3:
            for (std::size_t i = 0; i < lengths.size(); ++i) blocks.emplace_back(places[i] * extent, lengths[i]);
            return {Datatype::indexed(lengths, places, old.type), map_of_blocks(blocks, {old.map})};
        case 4:
            for (std::size_t i = 0; i < lengths.size(); ++i) blocks.emplace_back(addresses[i], lengths[i]);
            return {Datatype::hindexed(lengths, addresses, old.type), map_of_blocks(blocks, {old.map})};
        case 5:
            for (const int place : places) blocks.emplace_back(place * extent, block_length);
            return {Datatype::indexed_block(block_length, places, old.type), map_of_blocks(blocks, {old.map})};
        case 6:
            for (const std::int64_t address : addresses) blocks.emplace_back(address, block_length);
            return {Datatype::hindexed_block(block_length, addresses, old.type), map_of_blocks(blocks, {old.map})};
        case 7:
        case 8: {
            std::vector<DatatypePtr> types;
            std::vector<TypeMap> maps = {};
            for (int i = 0; i < count; ++i) {
                const TypeAndMap part = i % 2 == 0 ? old : random_type(random, between(random, 0, depth - 1));
                types.push_back(part.type);
                maps.push_back(part.map);
                blocks.emplace_back(addresses[static_cast<std::size_t>(i)], lengths[static_cast<std::size_t>(i)]);
            }
            TypeMap map = map_of_blocks(blocks, maps);
            const std::int64_t beyond = map.upper_marks.empty() ? map.extent() % map.alignment() : 0;
            if (beyond > 0) map.padding += map.alignment() - beyond;
            return {Datatype::structure(lengths, addresses, types), map};
        }
        case 9: {
            const std::int64_t lower = between(random, -40, 40);
            const std::int64_t wide = between(random, -60, 120);
            TypeMap map = old.map;
            map.lower_marks = {lower};
            map.upper_marks = {lower + wide};
            return {Datatype::resized(old.type, lower, wide), map};
        }
        default:
            return {Datatype::dup(old.type), old.map};
    }
}

}  // namespace fmpl_test
