// Sends what tests/launch/statistics_test.py says over the BLACS, and no more: see BlacsPattern there.
#include <blacs_fmpl.h>

#include <vector>

int main()
{
    int rank = 0, ranks = 0, context = 0;
    Cblacs_pinfo(&rank, &ranks);
    Cblacs_get(-1, 0, &context);
    // Process column c of the one row is rank ranks - 1 - c.
    std::vector<int> backwards;
    for (int r = ranks; r-- > 0;) backwards.push_back(r);
    Cblacs_gridmap(&context, backwards.data(), 1, 1, ranks);
    std::vector<double> a(120 * 100, 1.0);
    std::vector<int> i(4, 1);
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            if (from == to) continue;
            if (rank == from) {
                Cdgesd2d(context, 2, 3, a.data(), 2, 0, ranks - 1 - to);
                Cdgesd2d(context, 100, 100, a.data(), 120, 0, ranks - 1 - to);
                Cdtrsd2d(context, "U", "N", 4, 4, a.data(), 4, 0, ranks - 1 - to);
                for (int k = 0; k <= from; ++k) Cigesd2d(context, 1, 1, i.data(), 1, 0, ranks - 1 - to);
            }
            if (rank == to) {
                Cdgerv2d(context, 2, 3, a.data(), 2, 0, ranks - 1 - from);
                Cdgerv2d(context, 100, 100, a.data(), 120, 0, ranks - 1 - from);
                Cdtrrv2d(context, "U", "N", 4, 4, a.data(), 4, 0, ranks - 1 - from);
                for (int k = 0; k <= from; ++k) Cigerv2d(context, 1, 1, i.data(), 1, 0, ranks - 1 - from);
            }
        }
    }
    // What is in no matrix.
    Cdgsum2d(context, "All", " ", 10, 2, a.data(), 10, -1, -1);
    if (rank == 0) {
        Cdgebs2d(context, "All", " ", 50, 50, a.data(), 60);
    } else {
        Cdgebr2d(context, "All", " ", 50, 50, a.data(), 60, 0, ranks - 1);
    }
    Cblacs_barrier(context, "All");
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return 0;
}
