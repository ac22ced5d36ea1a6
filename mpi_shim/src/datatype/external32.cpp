#include "datatype/external32.hpp"

#include "datatype/address.hpp"
#include "datatype/checked.hpp"
#include "error.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace fmpl::mpi {
namespace {

enum class Conversion { none, signed_integer, unsigned_integer, logical, extended };

// How a basic type lies on both sides: `components` times the same.
struct Form {
    std::size_t components;
    std::size_t here;      // bytes of one in memory
    std::size_t external;  // bytes of one in external32
    Conversion conversion;
};

Form form_of(Predefined type)
{
    const PredefinedInfo& about = info(type);
    switch (type) {
        case Predefined::long_int:
            return {1, about.size, 4, Conversion::signed_integer};
        case Predefined::unsigned_long:
            return {1, about.size, 4, Conversion::unsigned_integer};
        case Predefined::wchar:
            return {1, about.size, 2, Conversion::unsigned_integer};
        case Predefined::long_double:
            return {1, about.size, 16, Conversion::extended};
        case Predefined::c_long_double_complex:
        case Predefined::cxx_long_double_complex:
            return {2, about.size / 2, 16, Conversion::extended};
        default:
            break;
    }
    if (about.kind == Kind::complex) return {2, about.size / 2, about.size / 2, Conversion::none};
    const bool logical = about.kind == Kind::logical;
    return {1, about.size, about.size, logical ? Conversion::logical : Conversion::none};
}

// Between the machine's byte order and big-endian: the same both ways.
void copy_ordered(const std::byte* from, std::byte* to, std::size_t bytes)
{
    if constexpr (std::endian::native == std::endian::little) {
        std::reverse_copy(from, from + bytes, to);
    } else {
        std::memcpy(to, from, bytes);
    }
}

using Quad = __float128;
static_assert(sizeof(Quad) == 16 && sizeof(long double) <= 16);

template <class T>
T loaded(const std::byte* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// The lower `bytes` bytes of a number are those of an integer in the machine's order.
void store_low_bytes(std::uint64_t bits, std::byte* to, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i) {
        const std::size_t place = std::endian::native == std::endian::little ? i : bytes - 1 - i;
        to[place] = static_cast<std::byte>(bits >> (8 * i));
    }
}

std::uint64_t load_low_bytes(const std::byte* from, std::size_t bytes)
{
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        const std::size_t place = std::endian::native == std::endian::little ? i : bytes - 1 - i;
        bits |= static_cast<std::uint64_t>(from[place]) << (8 * i);
    }
    return bits;
}

// An integer of `from_bytes` in the machine's order, made one of `to_bytes`.
void resize_integer(const std::byte* from, std::size_t from_bytes, std::byte* to, std::size_t to_bytes, bool is_signed)
{
    std::uint64_t bits = load_low_bytes(from, from_bytes);
    const auto extended = [is_signed](std::uint64_t value, std::size_t bytes) {
        const std::size_t unused = 64 - 8 * bytes;
        return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused)
                         : value << unused >> unused;
    };
    bits = extended(bits, from_bytes);
    if (extended(bits, to_bytes) != bits) {
        fail(ErrorClass::conversion, "the value {} does not fit the {} bytes that {} for its type",
            is_signed ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits), to_bytes,
            to_bytes < from_bytes ? "external32 has" : "this machine has");
    }
    store_low_bytes(bits, to, to_bytes);
}

void pack_one(const Form& form, const std::byte* from, std::byte* packed)
{
    std::byte ordered[16];
    switch (form.conversion) {
        case Conversion::none:
        case Conversion::logical:
            copy_ordered(from, packed, form.here);
            return;
        case Conversion::signed_integer:
        case Conversion::unsigned_integer:
            resize_integer(from, form.here, ordered, form.external, form.conversion == Conversion::signed_integer);
            break;
        case Conversion::extended: {
            const Quad value = static_cast<Quad>(loaded<long double>(from));
            std::memcpy(ordered, &value, sizeof value);
            break;
        }
    }
    copy_ordered(ordered, packed, form.external);
}

void unpack_one(const Form& form, const std::byte* packed, std::byte* to)
{
    std::byte ordered[16];
    copy_ordered(packed, ordered, form.external);
    switch (form.conversion) {
        case Conversion::none:
            std::memcpy(to, ordered, form.here);
            return;
        case Conversion::logical: {
            const bool value =
                std::any_of(packed, packed + form.external, [](std::byte b) { return b != std::byte{0}; });
            store_low_bytes(value ? 1 : 0, to, form.here);
            return;
        }
        case Conversion::signed_integer:
        case Conversion::unsigned_integer:
            resize_integer(ordered, form.external, to, form.here, form.conversion == Conversion::signed_integer);
            return;
        case Conversion::extended: {
            const long double value = static_cast<long double>(loaded<Quad>(ordered));
            std::memcpy(to, &value, sizeof value);
            return;
        }
    }
}

// Calls visit(type, address) for the basic types of the type map in order.
template <class Visit>
void for_each_basic(const Datatype& type, Address at, Visit& visit)
{
    if (const auto id = type.predefined_id()) {
        const PredefinedInfo& about = info(*id);
        if (about.kind == Kind::marker) return;
        visit(about.first, at);
        if (about.kind == Kind::pair) visit(about.second, moved(at, about.second_at));
        return;
    }
    const std::int64_t blocks = type.block_count();
    for (std::int64_t i = 0; i < blocks; ++i) {
        const Datatype::Block block = type.block(i);
        if (block.type->size() == 0) continue;
        const std::int64_t extent = block.type->extent();
        Address here = moved(at, block.displacement);
        for (std::int64_t copy = 0; copy < block.length; ++copy, here = moved(here, extent)) {
            for_each_basic(*block.type, here, visit);
        }
    }
}

template <class Visit>
void for_each_basic(const Datatype& type, std::int64_t count, const void* buffer, Visit visit)
{
    Address at = reinterpret_cast<Address>(buffer);
    for (std::int64_t i = 0; i < count; ++i, at = moved(at, type.extent())) for_each_basic(type, at, visit);
}

std::int64_t size_of_one(const Datatype& type)
{
    const auto basic_size = [](Predefined basic) {
        const Form form = form_of(basic);
        return static_cast<std::int64_t>(form.components * form.external);
    };
    if (type.size() == 0) return 0;
    if (const auto basic = type.signature().uniform()) {
        return checked_multiply(type.signature().elements(), basic_size(*basic));
    }
    if (const auto id = type.predefined_id()) return basic_size(info(*id).first) + basic_size(info(*id).second);
    std::int64_t size = 0;
    const Datatype* last = nullptr;
    std::int64_t size_of_last = 0;
    for (std::int64_t i = 0; i < type.block_count(); ++i) {
        const Datatype::Block block = type.block(i);
        if (block.type.get() != last) {
            last = block.type.get();
            size_of_last = size_of_one(*last);
        }
        size = checked_add(size, checked_multiply(block.length, size_of_last));
    }
    return size;
}

}  // namespace

std::int64_t external_size(const Datatype& type, std::int64_t count)
{
    return checked_multiply(size_of_one(type), count);
}

void pack_external(const Datatype& type, std::int64_t count, const void* buffer, std::byte* packed)
{
    for_each_basic(type, count, buffer, [&packed](Predefined basic, Address at) {
        const Form form = form_of(basic);
        const std::byte* from = reinterpret_cast<const std::byte*>(at);
        for (std::size_t i = 0; i < form.components; ++i, from += form.here, packed += form.external) {
            pack_one(form, from, packed);
        }
    });
}

void unpack_external(const Datatype& type, std::int64_t count, void* buffer, const std::byte* packed)
{
    for_each_basic(type, count, buffer, [&packed](Predefined basic, Address at) {
        const Form form = form_of(basic);
        std::byte* to = reinterpret_cast<std::byte*>(at);
        for (std::size_t i = 0; i < form.components; ++i, to += form.here, packed += form.external) {
            unpack_one(form, packed, to);
        }
    });
}

}  // namespace fmpl::mpi
