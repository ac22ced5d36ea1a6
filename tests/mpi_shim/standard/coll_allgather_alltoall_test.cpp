// MPI-3.1, sections 5.7, 5.8, 5.12.5 and 5.12.6: allgather and alltoall, with their v- and w-forms.
#include "collective_calls.hpp"

#include <algorithm>
#include <vector>

using namespace mpi_test;

namespace {

template <class Value>
void allgather_counts()
{
    const MPI_Datatype type = type_of<Value>();
    for (const int count : {0, 1, 3, 1000, 100000}) {
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            const std::vector<Value> mine = elements<Value>(rank(), count);
            std::vector<Value> all = untouched<Value>(static_cast<std::size_t>(count * size()));
            call_as(
                form, MPI_Allgather, MPI_Iallgather, mine.data(), count, type, all.data(), count, type, MPI_COMM_WORLD);
            EXPECT_EQ(all, everybodys<Value>(count)) << "count " << count;

            all = untouched<Value>(all.size());
            std::copy(mine.begin(), mine.end(), all.begin() + count * rank());
            call_as(form, MPI_Allgather, MPI_Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, type,
                MPI_COMM_WORLD);
            EXPECT_EQ(all, everybodys<Value>(count)) << "in place, count " << count;
        }
    }
}

// What rank `from` sends to rank `to`.
template <class Value = int>
std::vector<Value> parcel(int from, int to, int count)
{
    return elements<Value>(from, count, to + 1);
}

template <class Value>
std::vector<Value> parcels_sent(int from, int count)
{
    std::vector<Value> all;
    for (int to = 0; to < size(); ++to) append(all, parcel<Value>(from, to, count));
    return all;
}

template <class Value>
std::vector<Value> parcels_received(int to, int count)
{
    std::vector<Value> all;
    for (int from = 0; from < size(); ++from) append(all, parcel<Value>(from, to, count));
    return all;
}

template <class Value>
void alltoall_counts()
{
    const MPI_Datatype type = type_of<Value>();
    for (const int count : {0, 1, 3, 1000, 100000}) {
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(count));
            const std::vector<Value> out = parcels_sent<Value>(rank(), count);
            std::vector<Value> in = untouched<Value>(out.size());
            call_as(form, MPI_Alltoall, MPI_Ialltoall, out.data(), count, type, in.data(), count, type, MPI_COMM_WORLD);
            EXPECT_EQ(in, parcels_received<Value>(rank(), count)) << "count " << count;

            std::vector<Value> both = out;
            call_as(form, MPI_Alltoall, MPI_Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, both.data(), count, type,
                MPI_COMM_WORLD);
            EXPECT_EQ(both, parcels_received<Value>(rank(), count)) << "in place, count " << count;
        }
    }
}

// How many elements rank `from` sends to rank `to`: zero for some pairs, and not symmetric.
int uneven(int from, int to)
{
    return (from * 2 + to * 3) % 5;
}

Blocks blocks_sent(int from)
{
    return {size(), [from](int to) { return uneven(from, to); }};
}

Blocks blocks_received(int to)
{
    return {size(), [to](int from) { return uneven(from, to); }};
}

}  // namespace

MPI_TEST(Allgather, IntegersOfEveryCount)
{
    allgather_counts<int>();
}

MPI_TEST(Allgather, DoublesOfEveryCount)
{
    allgather_counts<double>();
}

MPI_TEST(Allgather, TypesMayDifferBetweenRanksAndSides)
{
    const int count = 60;
    const CommittedType sparse(CommittedType::strided(count, 2));
    for (const Form form : kForms) {
        const std::vector<int> plain = elements(rank(), count);
        const std::vector<int> wide = spread(plain, 2);
        const bool is_plain = rank() % 2 == 0;
        std::vector<int> all = untouched(static_cast<std::size_t>(2 * count * size()));
        call_as(form, MPI_Allgather, MPI_Iallgather, is_plain ? plain.data() : wide.data(), is_plain ? count : 1,
            is_plain ? MPI_INT : sparse.get(), all.data(), 1, sparse.get(), MPI_COMM_WORLD);
        EXPECT_EQ(all, spread(everybodys<int>(count), 2));
    }
}

MPI_TEST(Allgatherv, BlocksOutOfOrderWithGapsAndEmptyOnes)
{
    if (size() == 1 && excepted("MPI_Allgatherv on one rank")) return;
    for (const int unit : {1, 300, 30000}) {
        const auto count_of = [unit](int block) { return unit * ((block * 3 + 1) % 4); };
        const Blocks blocks(size(), count_of);
        std::vector<int> expected = blocks.buffer();
        for (int from = 0; from < size(); ++from) blocks.put(expected, from, elements(from, count_of(from)));
        for (const Form form : kForms) {
            delay(static_cast<unsigned>(unit));
            const std::vector<int> mine = elements(rank(), count_of(rank()));
            std::vector<int> all = blocks.buffer();
            call_as(form, MPI_Allgatherv, MPI_Iallgatherv, mine.data(), count_of(rank()), MPI_INT, all.data(),
                blocks.counts.data(), blocks.displacements.data(), MPI_INT, MPI_COMM_WORLD);
            EXPECT_EQ(all, expected) << "unit " << unit;

            all = blocks.buffer();
            blocks.put(all, rank(), mine);
            call_as(form, MPI_Allgatherv, MPI_Iallgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(),
                blocks.counts.data(), blocks.displacements.data(), MPI_INT, MPI_COMM_WORLD);
            EXPECT_EQ(all, expected) << "in place, unit " << unit;
        }
    }
}

MPI_TEST(Allgatherv, OnlyOneRankContributes)
{
    if (size() == 1 && excepted("MPI_Allgatherv on one rank")) return;
    for (int only = 0; only < size(); ++only) {
        const Blocks blocks(size(), [only](int block) { return block == only ? 7 : 0; });
        const std::vector<int> mine = elements(rank(), blocks.count(rank()));
        std::vector<int> all = blocks.buffer();
        MPI_Allgatherv(mine.data(), blocks.count(rank()), MPI_INT, all.data(), blocks.counts.data(),
            blocks.displacements.data(), MPI_INT, MPI_COMM_WORLD);
        std::vector<int> expected = blocks.buffer();
        blocks.put(expected, only, elements(only, 7));
        EXPECT_EQ(all, expected);
    }
}

MPI_TEST(Alltoall, IntegersOfEveryCount)
{
    alltoall_counts<int>();
}

MPI_TEST(Alltoall, DoublesOfEveryCount)
{
    alltoall_counts<double>();
}

// A transposition: rows go out, columns come in.
MPI_TEST(Alltoall, ColumnsAtTheReceiver)
{
    const int count = 6;
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, size(), MPI_INT, &vector);
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(vector, 0, sizeof(int), &resized);
    MPI_Type_free(&vector);
    const CommittedType column(resized);
    for (const Form form : kForms) {
        const std::vector<int> out = parcels_sent<int>(rank(), count);
        std::vector<int> in = untouched(out.size());
        call_as(
            form, MPI_Alltoall, MPI_Ialltoall, out.data(), count, MPI_INT, in.data(), 1, column.get(), MPI_COMM_WORLD);
        for (int from = 0; from < size(); ++from) {
            for (int i = 0; i < count; ++i) {
                EXPECT_EQ(in[static_cast<std::size_t>(i * size() + from)],
                    parcel(from, rank(), count)[static_cast<std::size_t>(i)]);
            }
        }
    }
}

MPI_TEST(Alltoallv, BlocksOutOfOrderWithGapsAndEmptyOnes)
{
    const Blocks sent = blocks_sent(rank());
    const Blocks received = blocks_received(rank());
    std::vector<int> out = sent.buffer();
    std::vector<int> expected = received.buffer();
    for (int peer = 0; peer < size(); ++peer) {
        sent.put(out, peer, parcel(rank(), peer, uneven(rank(), peer)));
        received.put(expected, peer, parcel(peer, rank(), uneven(peer, rank())));
    }
    for (const Form form : kForms) {
        delay(3);
        std::vector<int> in = received.buffer();
        call_as(form, MPI_Alltoallv, MPI_Ialltoallv, out.data(), sent.counts.data(), sent.displacements.data(), MPI_INT,
            in.data(), received.counts.data(), received.displacements.data(), MPI_INT, MPI_COMM_WORLD);
        EXPECT_EQ(in, expected);
    }
}

// In place, the counts are those of the received blocks, and must be symmetric.
MPI_TEST(Alltoallv, InPlaceExchangesTheBlocks)
{
    for (const int unit : {1, 2000}) {
        const auto count_of = [unit](int peer) { return unit * ((rank() + peer) % 3); };
        const Blocks blocks(size(), count_of);
        for (const Form form : kForms) {
            if (unit > 1 && excepted("MPI_Alltoallv in place, long blocks")) continue;
            std::vector<int> both = blocks.buffer();
            std::vector<int> expected = blocks.buffer();
            for (int peer = 0; peer < size(); ++peer) {
                blocks.put(both, peer, parcel(rank(), peer, count_of(peer)));
                blocks.put(expected, peer, parcel(peer, rank(), count_of(peer)));
            }
            call_as(form, MPI_Alltoallv, MPI_Ialltoallv, MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, both.data(),
                blocks.counts.data(), blocks.displacements.data(), MPI_INT, MPI_COMM_WORLD);
            EXPECT_EQ(both, expected);
        }
    }
}

// The type depends on the pair, and differs between its two sides; displacements are in bytes.
MPI_TEST(Alltoallw, EachPairHasItsTypes)
{
    const int count = 10;
    const CommittedType sparse(CommittedType::strided(count, 2));
    const auto ranks = static_cast<std::size_t>(size());
    const std::size_t room = 2 * count + 1;
    for (const Form form : kForms) {
        std::vector<int> out = untouched(room * ranks);
        std::vector<int> in = untouched(room * ranks);
        std::vector<int> expected = untouched(room * ranks);
        std::vector<int> out_counts(ranks), in_counts(ranks), out_bytes(ranks), in_bytes(ranks);
        std::vector<MPI_Datatype> out_types(ranks), in_types(ranks);
        for (std::size_t peer = 0; peer < ranks; ++peer) {
            const int other = static_cast<int>(peer);
            // Nothing goes from a rank to itself.
            const bool empty = other == rank();
            const bool sparse_out = (rank() + other) % 2 == 0;
            const bool sparse_in = (rank() + 2 * other) % 3 == 0;
            const std::size_t place = (ranks - 1 - peer) * room;
            out_bytes[peer] = in_bytes[peer] = static_cast<int>(place * sizeof(int));
            out_counts[peer] = empty ? 0 : (sparse_out ? 1 : count);
            in_counts[peer] = empty ? 0 : (sparse_in ? 1 : count);
            out_types[peer] = sparse_out ? sparse.get() : MPI_INT;
            in_types[peer] = sparse_in ? sparse.get() : MPI_INT;
            if (empty) continue;
            const std::vector<int> mine = parcel(rank(), other, count);
            const std::vector<int> laid_out = sparse_out ? spread(mine, 2) : mine;
            std::copy(laid_out.begin(), laid_out.end(), out.begin() + static_cast<std::ptrdiff_t>(place));
            const std::vector<int> theirs = parcel(other, rank(), count);
            const std::vector<int> laid_in = sparse_in ? spread(theirs, 2) : theirs;
            std::copy(laid_in.begin(), laid_in.end(), expected.begin() + static_cast<std::ptrdiff_t>(place));
        }
        call_as(form, MPI_Alltoallw, MPI_Ialltoallw, out.data(), out_counts.data(), out_bytes.data(), out_types.data(),
            in.data(), in_counts.data(), in_bytes.data(), in_types.data(), MPI_COMM_WORLD);
        EXPECT_EQ(in, expected);
    }
}

MPI_TEST(Alltoallw, InPlaceExchangesTheBlocks)
{
    const int count = 8;
    const CommittedType sparse(CommittedType::strided(count, 2));
    const auto ranks = static_cast<std::size_t>(size());
    std::vector<int> counts(ranks), bytes(ranks);
    std::vector<MPI_Datatype> types(ranks);
    for (const Form form : kForms) {
        if (form == Form::nonblocking && excepted("MPI_Ialltoallw in place")) continue;
        std::vector<int> both;
        std::vector<int> expected;
        for (int peer = 0; peer < size(); ++peer) {
            const auto p = static_cast<std::size_t>(peer);
            const bool is_sparse = (rank() + peer) % 2 == 0;
            bytes[p] = static_cast<int>(both.size() * sizeof(int));
            counts[p] = is_sparse ? 1 : count;
            types[p] = is_sparse ? sparse.get() : MPI_INT;
            const std::vector<int> mine = parcel(rank(), peer, count);
            const std::vector<int> theirs = parcel(peer, rank(), count);
            append(both, is_sparse ? spread(mine, 2) : mine);
            append(expected, is_sparse ? spread(theirs, 2) : theirs);
        }
        call_as(form, MPI_Alltoallw, MPI_Ialltoallw, MPI_IN_PLACE, nullptr, nullptr, nullptr, both.data(),
            counts.data(), bytes.data(), types.data(), MPI_COMM_WORLD);
        EXPECT_EQ(both, expected);
    }
}

// Section 5.2.2: the own block is not sent from where it is received but by MPI_IN_PLACE. Every rank sees it of itself.
MPI_TEST(Allgather, TheOwnBlockOfTheReceiveBufferIsRefused)
{
    const ReturnErrors guard;
    const int n = size();
    std::vector<int> all(static_cast<std::size_t>(n) * 4);
    int* const own = all.data() + rank() * 4;
    const std::vector<int> counts(static_cast<std::size_t>(n), 4);
    std::vector<int> places(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i) * 4;
    EXPECT_CLASS(MPI_ERR_BUFFER, MPI_Allgather(own, 4, MPI_INT, all.data(), 4, MPI_INT, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_BUFFER,
        MPI_Allgatherv(own, 4, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD));
    if (n > 1) return;
    // A root's.
    EXPECT_CLASS(MPI_ERR_BUFFER, MPI_Gather(own, 4, MPI_INT, all.data(), 4, MPI_INT, 0, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_BUFFER, MPI_Scatter(all.data(), 4, MPI_INT, own, 4, MPI_INT, 0, MPI_COMM_WORLD));
}

// Of one rank alone, which sees it; the others get what is theirs, and wait for nobody.
MPI_TEST_AT(Collective, OneRankThatSendsFromWhereItReceivesLeavesNobodyWaiting, ({2, 3, 4}))
{
    const ReturnErrors guard;
    const auto n = static_cast<std::size_t>(size());
    for (const int count : {4, 30'000}) {
        for (int odd = 0; odd < size(); ++odd) {
            const auto length = static_cast<std::size_t>(count);
            std::vector<int> apart(n * length), in(n * length);
            int* const own = in.data() + static_cast<std::size_t>(rank()) * length;
            const bool is_odd = rank() == odd;
            const auto expect = [&](const char* call, int code, bool sees) {
                EXPECT_EQ(error_class(code), sees ? MPI_ERR_BUFFER : MPI_SUCCESS)
                    << call << ", " << count << " elements, rank " << odd;
            };
            // Blocking, and as a request.
            const auto exchange = [&](const char* name, auto call, auto start, auto... rest) {
                const auto send = [&](int* from, auto&& go) {
                    std::fill_n(from, count, rank());
                    return go(from);
                };
                int* const from = is_odd ? own : apart.data();
                expect(name, send(from, [&](int* p) { return call(p, count, MPI_INT, in.data(), count, rest...); }),
                    is_odd);
                for (std::size_t r = 0; !is_odd && r < n; ++r) EXPECT_EQ(in[r * length], static_cast<int>(r)) << name;
                MPI_Request request = MPI_REQUEST_NULL;
                int code =
                    send(from, [&](int* p) { return start(p, count, MPI_INT, in.data(), count, rest..., &request); });
                if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
                expect(name, code, is_odd);
                for (std::size_t r = 0; !is_odd && r < n; ++r) EXPECT_EQ(in[r * length], static_cast<int>(r)) << name;
            };
            exchange("MPI_Allgather", MPI_Allgather, MPI_Iallgather, MPI_INT, MPI_COMM_WORLD);

            const auto reduce = [&](const char* name, auto call, bool sees) {
                std::fill(in.begin(), in.end(), 1);
                std::fill(apart.begin(), apart.end(), 1);
                expect(name, call(is_odd ? in.data() : apart.data(), in.data()), sees);
            };
            reduce(
                "MPI_Allreduce",
                [&](const int* from, int* to) {
                    return MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                },
                is_odd);
            EXPECT_EQ(in[0], size());
            reduce(
                "MPI_Allreduce, partly",
                [&](const int* from, int* to) {
                    return MPI_Allreduce(is_odd ? from + 1 : from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                },
                is_odd);
            EXPECT_EQ(in[0], size());
            reduce(
                "MPI_Iallreduce",
                [&](const int* from, int* to) {
                    MPI_Request request = MPI_REQUEST_NULL;
                    const int code = MPI_Iallreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
                    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
                },
                is_odd);
            EXPECT_EQ(in[0], size());
            reduce(
                "MPI_Reduce",
                [&](const int* from, int* to) {
                    return MPI_Reduce(from, to, count, MPI_INT, MPI_SUM, odd, MPI_COMM_WORLD);
                },
                is_odd);
            reduce(
                "MPI_Scan",
                [&](const int* from, int* to) { return MPI_Scan(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD); },
                is_odd);
            EXPECT_EQ(in[0], rank() + 1);
            reduce(
                "MPI_Reduce_scatter_block",
                [&](const int* from, int* to) {
                    return MPI_Reduce_scatter_block(from, to, count / size(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                },
                is_odd);
            EXPECT_EQ(in[0], size());
            // At their root.
            const int code =
                MPI_Gather(is_odd ? own : apart.data(), count, MPI_INT, in.data(), count, MPI_INT, odd, MPI_COMM_WORLD);
            expect("MPI_Gather", code, is_odd);
            expect("MPI_Scatter",
                MPI_Scatter(
                    in.data(), count, MPI_INT, is_odd ? own : apart.data(), count, MPI_INT, odd, MPI_COMM_WORLD),
                is_odd);
            expect("MPI_Alltoall",
                MPI_Alltoall(
                    is_odd ? in.data() : apart.data(), count, MPI_INT, in.data(), count, MPI_INT, MPI_COMM_WORLD),
                is_odd);
        }
    }
}

// One array may have room for both sides.
MPI_TEST(Alltoallv, SidesOfOneArrayThatDoNotOverlapAreTwoBuffers)
{
    const int n = size();
    std::vector<int> both(static_cast<std::size_t>(2 * n), -1), expected;
    for (int i = 0; i < n; ++i) both[static_cast<std::size_t>(i)] = rank() * 10 + i;
    const std::vector<int> counts(static_cast<std::size_t>(n), 1);
    std::vector<int> from(static_cast<std::size_t>(n)), to(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        from[static_cast<std::size_t>(i)] = i;
        to[static_cast<std::size_t>(i)] = n + i;
        expected.push_back(i * 10 + rank());
    }
    MPI_Alltoallv(both.data(), counts.data(), from.data(), MPI_INT, both.data(), counts.data(), to.data(), MPI_INT,
        MPI_COMM_WORLD);
    EXPECT_EQ(std::vector<int>(both.begin() + n, both.end()), expected);
}
