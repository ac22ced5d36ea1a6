#include "blacs_api.hpp"

#include <thread>

namespace {

using namespace fmpl_test;

}  // namespace

FMPL_RANKS_TEST(BlacsSupport, NoProcessLeavesABarrierBeforeTheLastOfItsScopeArrives)
{
    const Blacs blacs;
    const auto words = shared_words();
    for (const Shape shape : shapes(blacs.count())) {
        const Grid grid(shape);
        for (int k = 0; grid.inside() && k < 20; ++k) {
            for (const char* scope : {"Row", "c", "A"}) {
                // Words that no other grid or round uses: reset is not needed as they only grow.
                auto& own = words[static_cast<std::size_t>(blacs.number())];
                own.fetch_add(1);
                const std::uint64_t now = own.load();
                Cblacs_barrier(grid.context, scope);
                for (int p = 0; p < grid.size(); ++p) {
                    const bool in_row = p / grid.columns == grid.row;
                    const bool in_column = p % grid.columns == grid.column;
                    if (*scope == 'A' || (*scope == 'R' ? in_row : in_column)) {
                        EXPECT_GE(words[static_cast<std::size_t>(p)].load(), now) << "scope " << scope;
                    }
                }
                Cblacs_barrier(grid.context, scope);
            }
        }
        // The process outside catches up with the others' counts.
        if (!grid.inside()) words[static_cast<std::size_t>(blacs.number())].fetch_add(60);
    }
}

FMPL_RANKS_TEST(BlacsSupport, ExitWithContinueKeepsFmplUsable)
{
    int number = -1, count = -1;
    Cblacs_pinfo(&number, &count);
    Cblacs_exit(1);
    int initialized = 0;
    EXPECT_OK(fmpl_initialized(&initialized));
    EXPECT_EQ(1, initialized);
    EXPECT_OK(fmpl_barrier(FMPL_COMM_WORLD));
    // The BLACS can be joined again, and then owe the end of FMPL once more.
    Cblacs_pinfo(&number, &count);
    EXPECT_EQ(rank(), number);
    {
        const Grid grid({1, count});
        Cblacs_barrier(grid.context, "All");
    }
    Cblacs_exit(0);
    EXPECT_OK(fmpl_initialized(&initialized));
    EXPECT_EQ(0, initialized);
}

FMPL_RANKS_TEST(BlacsSupport, AProgramMayUseFmplBesideTheBlacs)
{
    const fmpl::Session session(4);
    int number = -1, count = -1;
    Cblacs_pinfo(&number, &count);
    {
        const Grid grid({1, count});
        const int to = (number + 1) % count;
        const int from = (number + count - 1) % count;
        int sent = 1000 + number, received = -1;
        Cigesd2d(grid.context, 1, 1, &sent, 1, 0, to);
        sent = 2000 + number;
        EXPECT_OK(fmpl_send(&sent, sizeof sent, to, 0, FMPL_COMM_WORLD));
        EXPECT_OK(fmpl_recv(&received, sizeof received, from, 0, FMPL_COMM_WORLD));
        EXPECT_EQ(2000 + from, received);
        Cigerv2d(grid.context, 1, 1, &received, 1, 0, from);
        EXPECT_EQ(1000 + from, received);
    }
    Cblacs_exit(0);
    // FMPL is the program's: the BLACS leave it running.
    EXPECT_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_AT(BlacsSupport, AnotherThreadOfTheRankFindsItsBlacs, ({1, 2}))
{
    // Ranks that are threads have no threads of their own.
    if (std::getenv("FMPL_TEST_BODY") == nullptr) return;
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    int nprow = 0, npcol = 0, row = 0, column = -1;
    std::thread([&] { Cblacs_gridinfo(grid.context, &nprow, &npcol, &row, &column); }).join();
    EXPECT_EQ(blacs.count(), npcol);
    EXPECT_EQ(blacs.number(), column);
}

FMPL_RANKS_TEST(BlacsSupport, SettingsAreKeptForEachContext)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    const Grid other({blacs.count(), 1});
    for (int what = 11; what <= 16; ++what) {
        int before = -1, value = 40 + what, after = -1;
        Cblacs_get(grid.context, what, &before);
        EXPECT_EQ(what < 15 ? 1 : 0, before);
        Cblacs_set(grid.context, what, &value);
        Cblacs_get(grid.context, what, &after);
        EXPECT_EQ(40 + what, after);
        Cblacs_get(other.context, what, &after);
        EXPECT_EQ(before, after);
    }
    int ids[2] = {-1, -1};
    Cblacs_get(grid.context, 1, ids);
    EXPECT_LE(ids[0], Cksendid(grid.context, 0, 0));
    EXPECT_GE(ids[1], Ckrecvid(grid.context, 0, 0));
    EXPECT_EQ(Ckbsid(grid.context, "All"), Ckbrid(grid.context, "All", 0, 0));
}

FMPL_RANKS_TEST(BlacsSupport, TheWorkspaceComesBackAfterFreebuff)
{
    const Blacs blacs;
    const Grid grid({1, blacs.count()});
    for (int k = 0; k < 3; ++k) {
        Framed<double> a(9, 5, 12);
        a.fill([&](int i, int j) { return i + 10.0 * j; });
        Cdgsum2d(grid.context, "All", " ", 9, 5, a.a(), a.lda(), -1, -1);
        EXPECT_EQ(0, a.wrong([&](int i, int j) { return blacs.count() * (i + 10.0 * j); }));
        Cblacs_freebuff(grid.context, k % 2);
    }
}

TEST(BlacsSupport, TimesGrow)
{
    const double wall = Cdwalltime00();
    const double cpu = Cdcputime00();
    volatile double x = 0;
    while (Cdcputime00() <= cpu) x = x + 1;
    EXPECT_GT(Cdwalltime00(), wall);
    EXPECT_GE(dwalltime00_(), wall);
    EXPECT_GT(dcputime00_(), cpu);
}

FMPL_RANKS_TEST(BlacsFortranNames, DoAsTheCNames)
{
    int number = -1, count = -1;
    blacs_pinfo_(&number, &count);
    const int minus_one = -1, zero = 0, one = 1, two = 2, three = 3;
    int context = -1;
    blacs_get_(&minus_one, &zero, &context);
    blacs_gridinit_(&context, "Row", &one, &count);
    int nprow = -1, npcol = -1, row = -1, column = -1;
    blacs_gridinfo_(&context, &nprow, &npcol, &row, &column);
    EXPECT_EQ(number, column);
    EXPECT_EQ(number, blacs_pnum_(&context, &zero, &column));
    const int to = (number + 1) % count;
    const int from = (number + count - 1) % count;
    for_each_type([&]<class T>() {
        Framed<T> a(2, 3, 3);
        a.fill([&](int i, int j) { return element<T>(100 * number + 10 * i + j); });
        Api<T>::gesd2d_f(&context, &two, &three, a.a(), &three, &zero, &to);
        Framed<T> b(2, 3, 3);
        Api<T>::gerv2d_f(&context, &two, &three, b.a(), &three, &zero, &from);
        EXPECT_EQ(0, b.wrong([&](int i, int j) { return element<T>(100 * from + 10 * i + j); }));
        if (number == 0) {
            Api<T>::gebs2d_f(&context, "All", "i", &two, &three, b.a(), &three);
        } else {
            Api<T>::gebr2d_f(&context, "All", "i", &two, &three, b.a(), &three, &zero, &zero);
        }
        EXPECT_EQ(0, b.wrong([&](int i, int j) { return element<T>(100 * (count - 1) + 10 * i + j); }));
        b.fill([](int, int) { return element<T>(1); });
        Api<T>::gsum2d_f(&context, "All", " ", &two, &three, b.a(), &three, &minus_one, &zero);
        EXPECT_EQ(
            0, b.wrong([&](int, int) { return T(static_cast<decltype(std::real(T{}))>(count)) * element<T>(1); }));
    });
    blacs_barrier_(&context, "All");
    blacs_gridexit_(&context);
    blacs_exit_(&zero);
}
