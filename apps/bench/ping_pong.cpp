#include "ping_pong.hpp"

#include "transport.hpp"

#include <cstring>

namespace fmpl::bench {
namespace {

constexpr int kIndex = 0;

}  // namespace

PingPong::PingPong(const Pairing& pairing, const BufferPool& pool, std::byte* memory)
    : pairing_(pairing),
      pool_(pool),
      memory_(memory)
{
    if (!pairing_.takes_part()) return;
    const std::size_t bytes = pool_.buffer_bytes();
    for (std::uint64_t i = 0; i < pool_.buffers(); ++i) {
        std::byte* buffer = pool_.at(memory_, i);
        if (pairing_.first()) {
            fill_pattern(buffer, bytes, seed(i));
            transport::send(buffer, bytes, pairing_.peer(), kIndex);
        } else {
            transport::recv(buffer, bytes, pairing_.peer(), kIndex);
            delivered_ = delivered_ && has_pattern(buffer, bytes, seed(i));
        }
    }
}

void PingPong::operator()(std::uint64_t first, std::uint64_t count) const
{
    const std::size_t bytes = pool_.buffer_bytes();
    const int peer = pairing_.peer();
    const bool sends_first = pairing_.first();
    for (std::uint64_t i = first; i < first + count; ++i) {
        std::byte* there = pool_.at(memory_, PingPong::there(i));
        std::byte* back = pool_.at(memory_, PingPong::back(i));
        if (sends_first) {
            transport::send(there, bytes, peer, kIndex);
            transport::recv(back, bytes, peer, kIndex);
        } else {
            transport::recv(there, bytes, peer, kIndex);
            transport::send(back, bytes, peer, kIndex);
        }
    }
}

bool PingPong::verify() const
{
    if (!pairing_.takes_part()) return true;
    if (!delivered_ || !has_all_patterns()) return false;
    for (std::uint64_t i = pairing_.first() ? 1 : 0; i < pool_.buffers(); i += 2) {
        std::memset(pool_.at(memory_, i), 0, pool_.buffer_bytes());
    }
    (*this)(0, pool_.buffers() / 2);
    return has_all_patterns();
}

bool PingPong::has_all_patterns() const
{
    for (std::uint64_t i = 0; i < pool_.buffers(); ++i) {
        if (!has_pattern(pool_.at(memory_, i), pool_.buffer_bytes(), seed(i))) return false;
    }
    return true;
}

std::uint64_t PingPong::seed(std::uint64_t buffer) const
{
    return buffer * 65536 + static_cast<std::uint64_t>(pairing_.first_rank());  // the same at both ends
}

}  // namespace fmpl::bench
