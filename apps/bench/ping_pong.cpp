#include "ping_pong.hpp"

#include "check.hpp"

#include <algorithm>

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
            check(fmpl_send(buffer, bytes, pairing_.peer(), kIndex, FMPL_COMM_WORLD));
        } else {
            check(fmpl_recv(buffer, bytes, pairing_.peer(), kIndex, FMPL_COMM_WORLD));
            delivered_ = delivered_ && is_from_peer() && has_pattern(buffer, bytes, seed(i));
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
            check(fmpl_send(there, bytes, peer, kIndex, FMPL_COMM_WORLD));
            check(fmpl_recv(back, bytes, peer, kIndex, FMPL_COMM_WORLD));
        } else {
            check(fmpl_recv(there, bytes, peer, kIndex, FMPL_COMM_WORLD));
            check(fmpl_send(back, bytes, peer, kIndex, FMPL_COMM_WORLD));
        }
    }
}

bool PingPong::verify() const
{
    if (!pairing_.takes_part()) return true;
    if (!delivered_ || !is_from_peer()) return false;
    for (std::uint64_t i = 0; i < pool_.buffers(); ++i) {
        if (!has_pattern(pool_.at(memory_, i), pool_.buffer_bytes(), seed(i))) return false;
    }
    return true;
}

bool PingPong::is_from_peer() const
{
    int source = -1;
    std::size_t received = 0;
    check(fmpl_received(&source, nullptr, &received));
    return source == pairing_.peer() && received == pool_.buffer_bytes();
}

std::uint64_t PingPong::seed(std::uint64_t buffer) const
{
    const int rank = world.rank();
    return buffer * 65536 + static_cast<std::uint64_t>(std::min(rank, pairing_.peer()));  // the same at both ends
}

}  // namespace fmpl::bench
