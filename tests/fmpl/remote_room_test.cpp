// Places in the memory of another rank: fmpl_remote_place, fmpl_remote_room.
#include "../support/guarded_buffer.hpp"

#include <cstdint>
#include <vector>

namespace {

using namespace fmpl_test;

template <class T>
using RdmaVector = std::vector<T, fmpl::Allocator<T>>;

FMPL_RANKS_TEST(RemoteRoom, WhatIsWrittenThereIsTheOwnersToRead)
{
    const fmpl::Session session(1);
    RdmaVector<unsigned char> buffer(static_cast<std::size_t>(size()) * 1000);
    std::vector<std::uint64_t> places(static_cast<std::size_t>(size()));
    REQUIRE_OK(fmpl_remote_place(buffer.data(), buffer.size(), &places[static_cast<std::size_t>(rank())]));
    for (int r = 0; r < size(); ++r) {
        REQUIRE_OK(fmpl_bcast(&places[static_cast<std::size_t>(r)], sizeof places[0], r, FMPL_COMM_WORLD));
    }
    for (int r = 0; r < size(); ++r) {
        void* const room =
            fmpl_remote_room(r, places[static_cast<std::size_t>(r)] + static_cast<std::uint64_t>(rank()) * 1000, 1000);
        EXPECT_EQ(room != nullptr, fmpl_is_addressable(r) == 1);
        if (room != nullptr) fill_pattern(room, 1000, message_key(7, static_cast<std::uint64_t>(rank())));
        EXPECT_EQ(fmpl_remote_room(r, 0, 8), nullptr);
    }
    EXPECT_EQ(fmpl_remote_room(size(), places[0], 1), nullptr);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    for (int r = 0; r < size(); ++r) {
        if (fmpl_is_addressable(r) == 0) continue;
        EXPECT_TRUE(has_pattern(
            buffer.data() + static_cast<std::size_t>(r) * 1000, 1000, message_key(7, static_cast<std::uint64_t>(r))));
    }
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

}  // namespace
