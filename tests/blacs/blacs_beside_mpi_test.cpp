// BLACS-FMPL and FMPL's MPI in one program: one job, whose calls meet in any order.
#include "blacs_api.hpp"
#include "ending_program.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace fmpl_test;

// Longer than what either library copies away at once.
constexpr int kLong = 300000;

std::vector<double> numbered(int from, int count = kLong)
{
    std::vector<double> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), static_cast<double>(from));
    return all;
}

int sum_over(MPI_Comm comm, int own)
{
    int sum = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm));
    return sum;
}

int sum_over(const Grid& grid, int own)
{
    Cigsum2d(grid.context, "All", " ", 1, 1, &own, 1, -1, -1);
    return own;
}

int relation(MPI_Comm a, MPI_Comm b)
{
    int result = -1;
    MPI_Comm_compare(a, b, &result);
    return result;
}

// stress_seconds() is about the length of a run at each rank count.
int stress_steps()
{
    return static_cast<int>(50 * std::max(1.0, fmpl_test::stress_seconds()));
}

bool mpi_says(int (*question)(int*))
{
    int flag = -1;
    EXPECT_EQ(MPI_SUCCESS, question(&flag));
    return flag == 1;
}

// MPI from here to the end of the scope, unless the BLACS have ended it by then, or an exception leaves the scope.
class Mpi {
public:
    Mpi() : exceptions_(std::uncaught_exceptions()) { MPI_Init(nullptr, nullptr); }
    ~Mpi()
    {
        if (std::uncaught_exceptions() == exceptions_ && !mpi_says(MPI_Finalized)) MPI_Finalize();
    }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;

private:
    int exceptions_;
};

}  // namespace

FMPL_RANKS_TEST(BlacsBesideMpi, MpiStartsFirstAndGoesOnAfterTheBlacs)
{
    const Mpi mpi;
    int number = -1, count = -1, rank = -1, size = -1;
    Cblacs_pinfo(&number, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_EQ(rank, number);
    EXPECT_EQ(size, count);
    {
        const Grid grid({1, count});
        EXPECT_EQ(count, sum_over(grid, 1));
        EXPECT_EQ(count, sum_over(MPI_COMM_WORLD, 1));
    }
    Cblacs_exit(1);
    EXPECT_EQ(2 * count, sum_over(MPI_COMM_WORLD, 2));
    {
        const Grid again({count, 1});  // joins the BLACS again
        EXPECT_EQ(3 * count, sum_over(again, 3));
    }
    Cblacs_exit(1);
    EXPECT_FALSE(mpi_says(MPI_Finalized));
}

FMPL_RANKS_TEST(BlacsBesideMpi, TheBlacsStartMpiAndEndIt)
{
    {
        const Blacs blacs;
        EXPECT_TRUE(mpi_says(MPI_Initialized));
        EXPECT_EQ(blacs.count(), sum_over(MPI_COMM_WORLD, 1));
        const Grid grid({1, blacs.count()});
        EXPECT_EQ(blacs.count(), sum_over(grid, 1));
    }
    EXPECT_TRUE(mpi_says(MPI_Finalized));
}

FMPL_RANKS_TEST(BlacsBesideMpi, ExitWithoutContinueEndsAnMpiThatTheProgramStarted)
{
    const Mpi mpi;
    {
        const Blacs blacs;
    }
    EXPECT_TRUE(mpi_says(MPI_Finalized));
}

FMPL_RANKS_TEST(BlacsBesideMpi, MpiMayEndBeforeTheBlacsAreLeft)
{
    MPI_Init(nullptr, nullptr);
    int number = -1, count = -1;
    Cblacs_pinfo(&number, &count);
    {
        const Grid grid({1, count});
        EXPECT_EQ(count, sum_over(grid, 1));
    }
    MPI_Finalize();
}

FMPL_RANKS_TEST(BlacsBesideMpi, GridsAreMadeOfCommunicators)
{
    const Mpi mpi;
    int number = -1, count = -1;
    Cblacs_pinfo(&number, &count);
    // Ranks of even and of odd numbers, each in reverse order.
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, number % 2, -number, &half);
    int rank = -1, size = -1;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);

    const int handle = Csys2blacs_handle(half);
    EXPECT_EQ(handle, Csys2blacs_handle(half));
    EXPECT_EQ(handle, sys2blacs_handle_(&half));
    EXPECT_EQ(half, Cblacs2sys_handle(handle));
    EXPECT_EQ(0, Csys2blacs_handle(MPI_COMM_WORLD));
    EXPECT_EQ(MPI_COMM_WORLD, Cblacs2sys_handle(0));
    const int of_self = Csys2blacs_handle(MPI_COMM_SELF);
    EXPECT_EQ(MPI_COMM_SELF, Cblacs2sys_handle(of_self));

    int context = handle;
    Cblacs_gridinit(&context, "Row", 1, size);
    int nprow = 0, npcol = 0, row = -1, column = -1;
    Cblacs_gridinfo(context, &nprow, &npcol, &row, &column);
    EXPECT_EQ(size, npcol);
    EXPECT_EQ(rank, column);
    int sum = number;
    Cigsum2d(context, "Row", " ", 1, 1, &sum, 1, -1, -1);
    EXPECT_EQ(sum_over(half, number), sum);

    int alone = of_self;
    Cblacs_gridinit(&alone, "Row", 1, 1);
    Cblacs_gridinfo(alone, &nprow, &npcol, &row, &column);
    EXPECT_EQ(0, column);
    Cblacs_gridexit(alone);
    Cblacs_gridexit(context);
    Cfree_blacs_system_handle(of_self);
    free_blacs_system_handle_(&handle);
    // The communicator is the program's and has outlived all that.
    EXPECT_EQ(size, sum_over(half, 1));
    MPI_Comm_free(&half);
    Cblacs_exit(1);
}

FMPL_RANKS_TEST(BlacsBesideMpi, AGridHasACommunicatorOfMpi)
{
    const Blacs blacs;
    for (const Shape shape : shapes(blacs.count())) {
        int handle = -1;
        {
            const Grid grid(shape, "C");
            if (!grid.inside()) continue;
            Cblacs_get(grid.context, 10, &handle);
            const MPI_Comm comm = Cblacs2sys_handle(handle);
            int rank = -1, size = -1;
            MPI_Comm_rank(comm, &rank);
            MPI_Comm_size(comm, &size);
            EXPECT_EQ(grid.number(), rank);
            EXPECT_EQ(grid.size(), size);
            EXPECT_EQ(sum_over(grid, blacs.number()), sum_over(comm, blacs.number()));
            // As ScaLAPACK and others do: from the grid's handle another grid, whose communicator is another one.
            int column_grid = handle;
            Cblacs_gridinit(&column_grid, "Row", size, 1);
            int of_column = -1;
            Cblacs_get(column_grid, 10, &of_column);
            EXPECT_EQ(MPI_CONGRUENT, relation(comm, Cblacs2sys_handle(of_column)));
            Cblacs_gridexit(column_grid);
            EXPECT_EQ(MPI_COMM_NULL, Cblacs2sys_handle(of_column));
            if (of_column != handle) Cfree_blacs_system_handle(of_column);
        }
        EXPECT_EQ(MPI_COMM_NULL, Cblacs2sys_handle(handle));
        Cfree_blacs_system_handle(handle);
    }
}

FMPL_RANKS_TEST(BlacsBesideMpi, EachGoesOnWhileTheOtherWaits)
{
    const Blacs blacs;
    const int n = blacs.count();
    const Grid grid({1, n});
    const int me = grid.number();
    const int to = (me + 1) % n;
    const int from = (me + n - 1) % n;
    const std::vector<double> sent = numbered(me);
    const std::vector<double> expected = numbered(from);
    std::vector<double> received(sent.size());
    for (int repetition = 0; repetition < 10; ++repetition) {
        // A send of MPI's that no receive waits for is under way while the rank waits in the BLACS for somebody who
        // first wants it.
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(sent.data(), kLong, MPI_DOUBLE, to, repetition, MPI_COMM_WORLD, &request);
        int word = me;
        if (me != 0) {
            std::fill(received.begin(), received.end(), -1.0);
            MPI_Recv(received.data(), kLong, MPI_DOUBLE, from, repetition, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(expected, received);
        }
        // Rank by rank: nobody passes the word on before the message from the last rank is there.
        if (me > 0) Cigerv2d(grid.context, 1, 1, &word, 1, 0, me - 1);
        if (me < n - 1) Cigesd2d(grid.context, 1, 1, &word, 1, 0, me + 1);
        Cblacs_barrier(grid.context, "All");
        if (me == 0) {
            std::fill(received.begin(), received.end(), -1.0);
            MPI_Recv(received.data(), kLong, MPI_DOUBLE, from, repetition, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(expected, received);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);

        // The same the other way: messages of the BLACS, which lie in the send buffer, are taken while their senders
        // wait in MPI.
        for (int k = 0; k < 3; ++k) Cdgesd2d(grid.context, kLong, 1, sent.data(), kLong, 0, to);
        if (me > 0) MPI_Recv(&word, 1, MPI_INT, me - 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < 3; ++k) {
            std::fill(received.begin(), received.end(), -1.0);
            Cdgerv2d(grid.context, kLong, 1, received.data(), kLong, 0, from);
            EXPECT_EQ(expected, received);
        }
        if (me < n - 1) MPI_Send(&word, 1, MPI_INT, me + 1, 99, MPI_COMM_WORLD);
    }
}

// What all ranks do next is drawn from one seed; how long each takes, from its own.
FMPL_RANKS_TEST_AT(BlacsBesideMpi, CallsOfBothMeetInAnyOrder, ({2, 3, 4, 7, 8, 16}))
{
    const Blacs blacs;
    const int n = blacs.count();
    std::mt19937_64 common(seed());
    std::mt19937_64 own(seed() + 1 + static_cast<std::uint64_t>(blacs.number()));
    struct Pending {
        int from;
        int number;
        int elements;
        bool by_mpi;
    };
    const auto value = [](int from, int number, int i) { return from * 1e6 + number * 1e3 + i % 997; };
    const Grid grid({1, n});
    const int me = grid.number();
    std::vector<double> elements(20000);
    for (int step = 0; step < stress_steps(); ++step) {
        const auto draw = static_cast<unsigned>(common() % 100);
        if (common() % 4 == 0) random_delay(own);
        if (draw < 15) {
            EXPECT_EQ(n * step, sum_over(grid, step));
        } else if (draw < 30) {
            EXPECT_EQ(n * step, sum_over(MPI_COMM_WORLD, step));
        } else if (draw < 40) {
            const int root = static_cast<int>(common() % static_cast<unsigned>(n));
            const auto count = static_cast<int>(common() % elements.size());
            std::fill(elements.begin(), elements.end(), me == root ? value(root, step, 0) : -1.0);
            if (draw % 2 == 0) {
                MPI_Bcast(elements.data(), count, MPI_DOUBLE, root, MPI_COMM_WORLD);
            } else if (me == root) {
                Cdgebs2d(grid.context, "All", " ", count, 1, elements.data(), std::max(count, 1));
            } else {
                Cdgebr2d(grid.context, "All", " ", count, 1, elements.data(), std::max(count, 1), 0, root);
            }
            for (int i = 0; i < count; ++i) {
                if (elements[static_cast<std::size_t>(i)] == value(root, step, 0)) continue;
                ADD_FAILURE() << "element " << i << " of " << count << " from " << root << ", step " << step;
                break;
            }
        } else if (draw < 45) {
            // Grids that overlap, from communicators that are made for them.
            MPI_Comm part = MPI_COMM_NULL;
            const auto parts = static_cast<int>(1 + common() % 3);
            MPI_Comm_split(MPI_COMM_WORLD, me % parts, static_cast<int>(own() % 100), &part);
            int rank = -1, size = -1;
            MPI_Comm_rank(part, &rank);
            MPI_Comm_size(part, &size);
            const int handle = Csys2blacs_handle(part);
            int context = handle;
            Cblacs_gridinit(&context, "Row", size, 1);
            int sum = me;
            Cigsum2d(context, "Column", " ", 1, 1, &sum, 1, -1, -1);
            EXPECT_EQ(sum_over(part, me), sum);
            Cblacs_gridexit(context);
            Cfree_blacs_system_handle(handle);
            MPI_Comm_free(&part);
        } else {
            // A volley of messages from random ranks to random others, through either library; each rank receives its
            // own, those of MPI when it comes to them, with sends of both under way.
            std::vector<MPI_Request> requests;
            std::vector<std::vector<double>> lent;
            std::vector<Pending> pending;
            const auto volley = static_cast<int>(1 + common() % 12);
            for (int k = 0; k < volley; ++k) {
                const auto from = static_cast<int>(common() % static_cast<unsigned>(n));
                const auto to =
                    static_cast<int>((static_cast<unsigned>(from) + 1 + common() % static_cast<unsigned>(n - 1)) %
                                     static_cast<unsigned>(n));
                const auto count =
                    static_cast<int>(1 + (common() % 3 == 0 ? common() % (elements.size() - 1) : common() % 40));
                const bool by_mpi = common() % 2 == 0;
                if (to == me) pending.push_back({from, k, count, by_mpi});
                if (from != me) continue;
                std::vector<double> message(static_cast<std::size_t>(count));
                for (int i = 0; i < count; ++i) message[static_cast<std::size_t>(i)] = value(me, k, i);
                if (by_mpi) {
                    lent.push_back(std::move(message));
                    requests.emplace_back();
                    MPI_Isend(lent.back().data(), count, MPI_DOUBLE, to, k, MPI_COMM_WORLD, &requests.back());
                } else {
                    Cdgesd2d(grid.context, count, 1, message.data(), count, 0, to);
                }
            }
            for (const Pending& p : pending) {
                std::fill(elements.begin(), elements.end(), -1.0);
                if (p.by_mpi) {
                    MPI_Recv(elements.data(), static_cast<int>(elements.size()), MPI_DOUBLE, p.from, p.number,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                } else {
                    Cdgerv2d(grid.context, p.elements, 1, elements.data(), p.elements, 0, p.from);
                }
                for (int i = 0; i < p.elements; ++i) {
                    if (elements[static_cast<std::size_t>(i)] == value(p.from, p.number, i)) continue;
                    ADD_FAILURE() << "element " << i << " of " << p.elements << " from " << p.from << ", step " << step;
                    break;
                }
                EXPECT_EQ(-1.0, elements.back()) << "message of " << p.elements;
            }
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        }
    }
}

FMPL_RANKS_TEST_AT(BlacsBesideMpi, GridsAndTheirCommunicatorsAreRecycled, ({1, 2, 4}))
{
    const Blacs blacs;
    const std::vector<Shape> all = shapes(blacs.count());
    // More than the handles that FMPL has for one place of a communicator: they begin again.
    for (int repetition = 0; repetition < 1200; ++repetition) {
        const Shape shape =
            repetition % 10 == 0 ? all[static_cast<std::size_t>(repetition / 10) % all.size()] : all.front();
        const Grid grid(shape);
        if (!grid.inside()) continue;
        int handle = -1;
        Cblacs_get(grid.context, 10, &handle);
        const MPI_Comm comm = Cblacs2sys_handle(handle);
        if (repetition % 100 == 0) {
            EXPECT_EQ(grid.size(), sum_over(comm, 1));
        }
        int size = 0;
        MPI_Comm_size(comm, &size);
        EXPECT_EQ(grid.size(), size);
    }
}

// FMPL_PROGRAM_WITH_WORDS(Name, exit status, words...) { program of two processes }
#define FMPL_PROGRAM_WITH_WORDS(Name, status, ...)                                     \
    TEST(BlacsBesideMpi, Name)                                                         \
    {                                                                                  \
        expect_words_of(2, "BlacsBesideMpi." #Name "_program", {__VA_ARGS__}, status); \
    }                                                                                  \
    FMPL_RANKS_TEST_WITH(BlacsBesideMpi, Name##_program, ::fmpl_test::RanksOptions{.ranks = {}})

FMPL_PROGRAM_WITH_WORDS(AnIntercommunicatorMakesNoSystemContext, 1, "Csys2blacs_handle", "intercommunicator")
{
    const Blacs blacs;
    MPI_Comm own = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, blacs.number(), 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - blacs.number(), 7, &inter);
    Csys2blacs_handle(inter);
}
FMPL_PROGRAM_WITH_WORDS(AFreedCommunicatorMakesNoSystemContext, 1, "Csys2blacs_handle", "freed")
{
    const Blacs blacs;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const MPI_Comm gone = comm;
    MPI_Comm_free(&comm);
    Csys2blacs_handle(gone);
}
FMPL_PROGRAM_WITH_WORDS(NoCommunicatorMakesNoSystemContext, 1, "Csys2blacs_handle", "MPI_COMM_NULL")
{
    const Blacs blacs;
    Csys2blacs_handle(MPI_COMM_NULL);
}
FMPL_PROGRAM_WITH_WORDS(MpiDoesNotStartTwice, MPI_ERR_OTHER, "MPI_Init", "a second time")
{
    const Blacs blacs;
    MPI_Init(nullptr, nullptr);
}
FMPL_PROGRAM_WITH_WORDS(MpiDoesNotStartAgain, 1, "Cblacs_pinfo", "after MPI_Finalize")
{
    {
        const Mpi mpi;
    }
    const Blacs blacs;
}
FMPL_PROGRAM_WITH_WORDS(MpiDoesNotStartWhereTheProgramStartedFmpl, MPI_ERR_OTHER, "MPI_Init", "fmpl_init")
{
    const fmpl::Session session(4);
    const Mpi mpi;
}
