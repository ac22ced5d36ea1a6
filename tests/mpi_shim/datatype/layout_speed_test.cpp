// Packing is the work of a plain loop, not a search for every element: a vector is packed, and unpacked, at no less
// than a third of the speed of the loop that does the same. The ratio of the best of several times of each is taken,
// in a process of its own. They take turns, since a machine that is shared may be twice as fast for some milliseconds,
// each some times in succession, with its memory in the cache.
#include "datatype/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using namespace fmpl::mpi;

template <class F>
void keep_shortest(double& least, F&& f)
{
    for (int i = 0; i < 5; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        f();
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
}

// The loop's block length is a constant, so that the compiler makes the best of it.
template <int block_length>
void expect_packs_like_a_loop()
{
    constexpr int kCount = 1 << 14;
    constexpr int stride = 2 * block_length;
    std::vector<double> buffer(static_cast<std::size_t>(kCount) * static_cast<std::size_t>(stride), 1.0);
    // The last twelve bits of addresses differ from the buffer's. If they are the same, a core takes a load for one of
    // what a store under way has written, and a packing loop takes twice as long or not by chance.
    constexpr std::ptrdiff_t kApart = 128;
    std::vector<double> dense(buffer.size() / 2 + kApart);
    std::vector<double> by_loop(dense.size());
    std::vector<double> back_by_loop(buffer.size());
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<double>(i);
    const auto layout =
        Layout::compile(*Datatype::vector(kCount, block_length, stride, Datatype::predefined(Predefined::double_real)));
    const std::uint64_t bytes = layout->bytes(1);

    constexpr int kTurns = 8;
    double loop = 1e9, packing = 1e9, loop_back = 1e9, unpacking = 1e9;
    for (int turn = 0; turn < kTurns; ++turn) {
        keep_shortest(loop, [&] {
            double* to = by_loop.data() + kApart;
            const double* from = buffer.data();
            for (int i = 0; i < kCount; ++i) {
                for (int j = 0; j < block_length; ++j) *to++ = from[i * stride + j];
            }
        });
        keep_shortest(packing, [&] { layout->pack(buffer.data(), 1, 0, bytes, dense.data() + kApart); });
        keep_shortest(loop_back, [&] {
            const double* from = dense.data() + kApart;
            double* to = back_by_loop.data();
            for (int i = 0; i < kCount; ++i) {
                for (int j = 0; j < block_length; ++j) to[i * stride + j] = *from++;
            }
        });
        keep_shortest(unpacking, [&] { layout->unpack(buffer.data(), 1, 0, bytes, dense.data() + kApart); });
    }
    EXPECT_EQ(dense, by_loop);
    std::printf("blocks of %d: loops %.1f and %.1f us, pack %.1f us, unpack %.1f us\n", block_length, 1e6 * loop,
        1e6 * loop_back, 1e6 * packing, 1e6 * unpacking);
    EXPECT_LT(packing, 3 * loop);
    EXPECT_LT(unpacking, 3 * loop_back);
}

TEST(LayoutSpeed, VectorsArePackedAtAThirdOfALoopsSpeedOrMore)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
    GTEST_SKIP() << "says nothing in a build for a sanitizer or without optimization";
#endif
    expect_packs_like_a_loop<1>();
    expect_packs_like_a_loop<2>();
    expect_packs_like_a_loop<3>();
    expect_packs_like_a_loop<5>();
    expect_packs_like_a_loop<8>();
    expect_packs_like_a_loop<13>();
    expect_packs_like_a_loop<100>();
}

}  // namespace
