// The memory of one side of a message: what a call's (buffer, count, data type) come to. A MessageBuffer is used within
// the call; what goes on with it after that has a KeptBuffer, since the user may free the type.
#pragma once

#include "datatype/type_object.hpp"

#include <fmpl/small_copy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace fmpl::mpi {

struct MessageBuffer {
    std::byte* data = nullptr;       // the first byte where the message is one piece, else the call's argument
    std::uint64_t bytes = 0;         // of the message in packed form
    std::int64_t count = 0;          // of `layout`; of one piece: bytes of each basic element, 0: not known
    const Layout* layout = nullptr;  // of the type, which lives as long; nullptr: one piece of memory

    // One piece of memory.
    static MessageBuffer piece(const void* data, std::uint64_t bytes, std::uint32_t element_bytes = 0)
    {
        return {static_cast<std::byte*>(const_cast<void*>(data)), bytes, element_bytes, nullptr};
    }

    // count >= 0 of a committed type. Throws Error beyond 64 bits.
    [[gnu::always_inline]] static MessageBuffer of(const void* data, std::int64_t count, const TypeObject& type)
    {
        if (type.dense_bytes != 0 && count <= INT32_MAX) [[likely]]
            return piece(data, static_cast<std::uint64_t>(count) * type.dense_bytes, type.element_bytes);
        return of_layout(data, count, type);
    }
    [[gnu::noinline]] static MessageBuffer of_layout(const void* data, std::int64_t count, const TypeObject& type)
    {
        MessageBuffer buffer = piece(data, type.layout->bytes(count), type.element_bytes);
        if (const auto offset = type.layout->single_piece(count)) {
            // By numbers: from MPI_BOTTOM, which is null, an offset is an address.
            buffer.data = reinterpret_cast<std::byte*>(
                reinterpret_cast<std::uintptr_t>(buffer.data) + static_cast<std::uintptr_t>(*offset));
        } else if (buffer.bytes > 0) {
            buffer.layout = type.layout.get();
            buffer.count = count;
        }
        return buffer;
    }

    bool in_one_piece() const { return layout == nullptr; }
    // Whether so many bytes, less than there are, end within a basic element, as far as that is known.
    bool breaks_element(std::uint64_t part) const
    {
        return layout == nullptr && count > 1 && part % static_cast<std::uint64_t>(count) != 0;
    }

    // Bytes [begin, end) of the packed form, to and from memory in one piece that does not overlap.
    // Inlined, as the whole way of a short message.
    [[gnu::always_inline]] void pack(std::uint64_t begin, std::uint64_t end, void* dense) const
    {
        if (layout != nullptr) [[unlikely]] {
            layout->pack(data, count, begin, end, dense);
        } else if (end > begin) {
            small_copy(dense, data + begin, end - begin);
        }
    }
    [[gnu::always_inline]] void unpack(std::uint64_t begin, std::uint64_t end, const void* dense) const
    {
        if (layout != nullptr) [[unlikely]] {
            layout->unpack(data, count, begin, end, dense);
        } else if (end > begin) {
            small_copy(data + begin, dense, end - begin);
        }
    }
};

// One that keeps its layout, which few have.
class KeptBuffer : public MessageBuffer {
public:
    KeptBuffer() = default;
    KeptBuffer(const MessageBuffer& buffer) { fill_with(buffer); }

    // Of one that has no layout: becomes the other.
    [[gnu::always_inline]] void fill_with(const MessageBuffer& other)
    {
        static_cast<MessageBuffer&>(*this) = other;
        if (layout != nullptr) [[unlikely]]
            kept_ = layout->shared_from_this();
    }
    void drop_layout()
    {
        if (layout == nullptr) [[likely]]
            return;
        layout = nullptr;
        kept_.reset();
    }

private:
    std::shared_ptr<const Layout> kept_;
};

// Copies the first `bytes` bytes of the packed form of one message to the same bytes of another. The two do not
// overlap, but may be the same memory in one piece.
inline void copy_message(const MessageBuffer& from, const MessageBuffer& to, std::uint64_t bytes)
{
    if (from.in_one_piece()) {
        if (from.data != to.data || !to.in_one_piece()) to.unpack(0, bytes, from.data);
    } else if (to.in_one_piece()) {
        from.pack(0, bytes, to.data);
    } else {
        copy_message(*from.layout, from.data, from.count, *to.layout, to.data, to.count, 0, bytes);
    }
}

}  // namespace fmpl::mpi
