// Collective calls of all ranks, each with what is known of its result: what they are follows from a number and a key
// that are the same on all ranks.
#pragma once

#include "mpi_shim/p2p/require.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace mpi_test {

class CheckedCollectives {
public:
    // comm: of the blocking ones; started_comm: of those that are started.
    CheckedCollectives(std::uint64_t key, MPI_Comm comm, MPI_Comm started_comm)
        : key_(key),
          comm_(comm),
          started_comm_(started_comm)
    {
        MPI_Comm_rank(comm, &me_);
        MPI_Comm_size(comm, &ranks_);
    }

    std::size_t started() const { return started_.size(); }

    // Makes the call of this number, the same on all ranks.
    void call(int number) const
    {
        const std::size_t n = collective_length(number);
        const int count = static_cast<int>(n);
        const int root = static_cast<int>(draw_of(number, 2) % static_cast<std::uint64_t>(ranks_));
        std::vector<std::int64_t> mine = contribution(number, n);
        std::vector<std::int64_t> result(n);
        switch (draw_of(number, 3) % 5) {
            case 0:
                require(MPI_Barrier(comm_), "MPI_Barrier");
                break;
            case 1:
                require(MPI_Bcast(mine.data(), count, MPI_INT64_T, root, comm_), "MPI_Bcast");
                expect_all(mine, 0, n, number, root, "MPI_Bcast");
                break;
            case 2:
                require(MPI_Allreduce(mine.data(), result.data(), count, MPI_INT64_T, MPI_SUM, comm_), "MPI_Allreduce");
                expect_sum(result, number, "MPI_Allreduce");
                break;
            case 3:
                require(MPI_Reduce(mine.data(), result.data(), count, MPI_INT64_T, MPI_SUM, root, comm_), "MPI_Reduce");
                if (me_ == root) expect_sum(result, number, "MPI_Reduce");
                break;
            default:
                result.resize(n * static_cast<std::size_t>(ranks_));
                require(MPI_Allgather(mine.data(), count, MPI_INT64_T, result.data(), count, MPI_INT64_T, comm_),
                    "MPI_Allgather");
                for (int r = 0; r < ranks_; ++r) {
                    expect_all(result, static_cast<std::size_t>(r) * n, n, number, r, "MPI_Allgather");
                }
                break;
        }
    }

    // Starts it; its place among those that have been started is `started() - 1`.
    MPI_Request start(int number)
    {
        const std::size_t n = collective_length(number);
        const int count = static_cast<int>(n);
        const int root = static_cast<int>(draw_of(number, 2) % static_cast<std::uint64_t>(ranks_));
        started_.push_back({static_cast<int>(draw_of(number, 3) % 4), number, contribution(number, n), {}});
        Started& c = started_.back();
        MPI_Request request = MPI_REQUEST_NULL;
        switch (c.kind) {
            case 0:
                require(MPI_Ibarrier(started_comm_, &request), "MPI_Ibarrier");
                break;
            case 1: {
                // A type with gaps: every second number.
                c.out.resize(2 * n + 1, -1);
                for (std::size_t i = 0; i < n && me_ == root; ++i) c.out[2 * i] = c.in[i];
                MPI_Datatype type = MPI_DATATYPE_NULL;
                require(MPI_Type_vector(count, 1, 2, MPI_INT64_T, &type), "MPI_Type_vector");
                require(MPI_Type_commit(&type), "MPI_Type_commit");
                require(MPI_Ibcast(c.out.data(), 1, type, root, started_comm_, &request), "MPI_Ibcast");
                require(MPI_Type_free(&type), "MPI_Type_free");
                break;
            }
            case 2:
                c.out.resize(n);
                require(MPI_Iallreduce(c.in.data(), c.out.data(), count, MPI_INT64_T, MPI_SUM, started_comm_, &request),
                    "MPI_Iallreduce");
                break;
            default:
                c.out.resize(n * static_cast<std::size_t>(ranks_));
                require(MPI_Iallgather(
                            c.in.data(), count, MPI_INT64_T, c.out.data(), count, MPI_INT64_T, started_comm_, &request),
                    "MPI_Iallgather");
                break;
        }
        return request;
    }

    // It is complete.
    void check(std::size_t place) const
    {
        const Started& c = started_[place];
        const std::size_t n = c.in.size();
        const int root = static_cast<int>(draw_of(c.number, 2) % static_cast<std::uint64_t>(ranks_));
        if (c.kind == 1) {
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i) {
                if (c.out[2 * i] != value(c.number, root, i) || c.out[2 * i + 1] != -1) ++wrong;
            }
            EXPECT_EQ(wrong, 0u) << "MPI_Ibcast of " << n;
        } else if (c.kind == 2) {
            expect_sum(c.out, c.number, "MPI_Iallreduce");
        } else if (c.kind == 3) {
            for (int r = 0; r < ranks_; ++r) {
                expect_all(c.out, static_cast<std::size_t>(r) * n, n, c.number, r, "MPI_Iallgather");
            }
        }
    }

private:
    struct Started {
        int kind;
        int number;
        std::vector<std::int64_t> in;
        std::vector<std::int64_t> out;
    };

    std::uint64_t draw_of(int number, int salt) const
    {
        return (key_ ^ static_cast<std::uint64_t>(number * 64 + salt)) * 0x9e3779b97f4a7c15u >> 7;
    }
    static std::int64_t value(int number, int rank, std::size_t i)
    {
        return (number + 3) * 1000003 + rank * 101 + static_cast<std::int64_t>(i) * 7;
    }
    std::size_t collective_length(int number) const
    {
        static constexpr std::array<std::size_t, 6> kLengths = {0, 1, 5, 600, 3000, 20000};
        return kLengths[draw_of(number, 1) % (ranks_ > 7 ? 5 : kLengths.size())];
    }
    void expect_all(const std::vector<std::int64_t>& found, std::size_t begin, std::size_t n, int number, int rank,
        const char* what) const
    {
        std::size_t i = 0;
        while (i < n && found[begin + i] == value(number, rank, i)) ++i;
        EXPECT_EQ(i, n) << what << " of rank " << rank;
    }
    void expect_sum(const std::vector<std::int64_t>& found, int number, const char* what) const
    {
        std::size_t i = 0;
        for (; i < found.size(); ++i) {
            std::int64_t sum = 0;
            for (int r = 0; r < ranks_; ++r) sum += value(number, r, i);
            if (found[i] != sum) break;
        }
        EXPECT_EQ(i, found.size()) << what;
    }
    std::vector<std::int64_t> contribution(int number, std::size_t n) const
    {
        std::vector<std::int64_t> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = value(number, me_, i);
        return values;
    }

    std::uint64_t key_;
    MPI_Comm comm_;
    MPI_Comm started_comm_;
    int me_ = 0;
    int ranks_ = 0;
    std::deque<Started> started_;
};

}  // namespace mpi_test
