// A message of all bytes of a buffer, for PingPong.
#pragma once

#include "message_memory.hpp"
#include "transport.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fmpl::bench {

struct ByteMessage {
    static constexpr int kIndex = 0;
    std::size_t bytes;

    void send(const std::byte* buffer, int peer) const { transport::send(buffer, bytes, peer, kIndex); }
    void receive(std::byte* buffer, int peer) const { transport::recv(buffer, bytes, peer, kIndex); }
    void clear(std::byte* buffer) const { std::memset(buffer, 0, bytes); }
    void fill(std::byte* buffer, std::uint64_t seed) const { fill_pattern(buffer, bytes, seed); }
    bool holds(const std::byte* buffer, std::uint64_t seed) const { return has_pattern(buffer, bytes, seed); }
};

}  // namespace fmpl::bench
