#include "peer_room.hpp"

#include "../sampler.hpp"

#include <fmpl/remote.h>

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace fmpl::bench {

std::byte* room_at_peer(const Pairing& pairing, const std::byte* mine, std::size_t bytes, const char* benchmark)
{
    constexpr int kIndex = 0;
    std::byte* room = nullptr;
    if (pairing.takes_part()) {
        const int peer = pairing.peer();
        std::uint64_t place_here = 0, place_there = 0;
        transport::check(fmpl_remote_place(mine, bytes, &place_here));
        if (pairing.first()) {
            transport::send(&place_here, sizeof place_here, peer, kIndex);
            transport::recv(&place_there, sizeof place_there, peer, kIndex);
        } else {
            transport::recv(&place_there, sizeof place_there, peer, kIndex);
            transport::send(&place_here, sizeof place_here, peer, kIndex);
        }
        room = static_cast<std::byte*>(fmpl_remote_room(peer, place_there, bytes));
    }
    const std::string words = fmt::format(
        "{}: a rank does not address the memory of the other one and cannot write there itself; this needs the "
        "engine that maps it, FMPL_ENGINE=shm (the default)",
        benchmark);
    all_must_be_right(!pairing.takes_part() || room != nullptr, words.c_str());
    return room;
}

}  // namespace fmpl::bench
