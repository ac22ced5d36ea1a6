// Calls pdgemm_ with one bad argument, on all processes or on one only; pdgemm_test.py reads what comes of it.
//
// pdgemm_bad_argument ARGUMENT VALUE [RANK]: ARGUMENT is one of the names below, VALUE a number (for transa, transb: a
// letter). With RANK only that rank's call is bad. The rest is a correct product of 8x8 matrices in blocks of 2, on a
// grid of one row. Ends with "returned" and status 0 if the call returned.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

extern "C" {
void Cblacs_pinfo(int* rank, int* processes);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_exit(int keep_going);
void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
    const double* a, const int* ia, const int* ja, const int* desca, const double* b, const int* ib, const int* jb,
    const int* descb, const double* beta, double* c, const int* ic, const int* jc, const int* descc);
}

int main(int argc, char** argv)
{
    int rank = 0;
    int processes = 0;
    Cblacs_pinfo(&rank, &processes);
    int context = 0;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, processes);

    char transa = 'N';
    char transb = 'N';
    constexpr int size = 8;
    std::map<std::string, int> value{
        {"m", size}, {"n", size}, {"k", size}, {"ia", 1}, {"ja", 1}, {"ib", 1}, {"jb", 1}, {"ic", 1}, {"jc", 1}};
    const char* entries[] = {"type", "context", "rows", "columns", "mb", "nb", "rsrc", "csrc", "lld"};
    const int good[] = {1, context, size, size, 2, 2, 0, 0, size};
    for (const std::string matrix : {"a.", "b.", "c."}) {
        for (int i = 0; i < 9; ++i) value[matrix + entries[i]] = good[i];
    }

    if (argc >= 3 && (argc < 4 || std::atoi(argv[3]) == rank)) {
        const std::string argument = argv[1];
        if (argument == "transa") {
            transa = *argv[2];
        } else if (argument == "transb") {
            transb = *argv[2];
        } else if (value.count(argument) == 1) {
            value[argument] = std::atoi(argv[2]);
        } else {
            std::fprintf(stderr, "no argument is called '%s'\n", argv[1]);
            return 2;
        }
    }
    const auto descriptor = [&](const std::string& matrix) {
        std::vector<int> list;
        for (const char* entry : entries) list.push_back(value[matrix + entry]);
        return list;
    };
    const std::vector<int> desca = descriptor("a.");
    const std::vector<int> descb = descriptor("b.");
    const std::vector<int> descc = descriptor("c.");
    const std::vector<double> a(size * size, 1.0);
    const std::vector<double> b(size * size, 1.0);
    std::vector<double> c(size * size, 0.0);
    const double one = 1.0;
    pdgemm_(&transa, &transb, &value["m"], &value["n"], &value["k"], &one, a.data(), &value["ia"], &value["ja"],
        desca.data(), b.data(), &value["ib"], &value["jb"], descb.data(), &one, c.data(), &value["ic"], &value["jc"],
        descc.data());
    if (rank == 0) std::printf("returned\n");
    std::fflush(stdout);
    Cblacs_exit(0);
    return 0;
}
