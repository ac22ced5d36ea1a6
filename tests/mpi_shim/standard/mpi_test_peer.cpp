// The main program of the standard's tests over an installed MPI: all bodies in one job, one after another, each on
// every rank. Takes GoogleTest's options. A rank prints its failures; all end with status 1 when one has failed.
//
// Environment: FMPL_TEST_SEED; FMPL_TEST_TIMEOUT, seconds after which a body is called a hang and the job is ended
// (60); MPI_TEST_NAMES=1 prints the name of each body before it runs.
#include "exceptions.hpp"
#include "mpi_test.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>

#include <signal.h>
#include <unistd.h>

namespace mpi_test {
namespace {

struct RegisteredBody {
    std::string suite;
    std::string name;
    const char* file;
    int line;
    Body body;
    std::vector<int> ranks;

    std::string full_name() const { return suite + "." + name; }
    bool runs_at(int n) const { return std::find(ranks.begin(), ranks.end(), n) != ranks.end(); }
};

std::vector<RegisteredBody>& bodies()
{
    static std::vector<RegisteredBody> all;
    return all;
}

std::uint64_t& seed_of_this_run()
{
    static std::uint64_t value = 0;
    return value;
}

// For the handler of the alarm.
char name_of_running_body[256];

extern "C" void end_a_hang(int)
{
    static const char words[] = "this body does not end: ";
    [[maybe_unused]] ssize_t written = write(2, words, sizeof words - 1);
    written = write(2, name_of_running_body, std::strlen(name_of_running_body));
    written = write(2, "\n", 1);
    _exit(1);
}

const Exception* exception_for(const std::string& what)
{
    for (const Exception& e : exceptions()) {
        if (e.library == library() && what == e.what) return &e;
    }
    return nullptr;
}

class PeerCase : public ::testing::Test {
public:
    explicit PeerCase(const RegisteredBody& body) : body_(body) {}

private:
    void TestBody() override
    {
        const std::string name = body_.full_name();
        std::snprintf(
            name_of_running_body, sizeof name_of_running_body, "%s, rank %d of %d", name.c_str(), rank(), size());
        if (rank() == 0 && std::getenv("MPI_TEST_NAMES") != nullptr) {
            std::printf("%s\n", name.c_str());
            std::fflush(stdout);
        }
        const char* limit = std::getenv("FMPL_TEST_TIMEOUT");
        alarm(limit != nullptr ? static_cast<unsigned>(std::atoi(limit)) : 60U);
        try {
            body_.body();
            MPI_Barrier(MPI_COMM_WORLD);
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s, rank %d of %d: %s\n", name.c_str(), rank(), size(), e.what());
            std::fflush(nullptr);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        alarm(0);
    }

    const RegisteredBody& body_;
};

class FailurePrinter : public ::testing::EmptyTestEventListener {
    void OnTestPartResult(const ::testing::TestPartResult& result) override
    {
        if (!result.failed()) return;
        std::fprintf(stderr, "%s: %s:%d: %s\n", name_of_running_body,
            result.file_name() != nullptr ? result.file_name() : "?", result.line_number(), result.message());
        std::fflush(stderr);
    }
};

void agree_on_seed()
{
    unsigned long long chosen = std::random_device{}();
    if (const char* given = std::getenv("FMPL_TEST_SEED")) chosen = std::strtoull(given, nullptr, 10);
    MPI_Bcast(&chosen, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    seed_of_this_run() = chosen;
}

void register_all()
{
    for (const RegisteredBody& body : bodies()) {
        if (!body.runs_at(size())) continue;
        if (const Exception* e = exception_for(body.full_name())) {
            if (rank() == 0) std::printf("left out: %s: %s\n", e->what, e->why);
            continue;
        }
        ::testing::RegisterTest(body.suite.c_str(), body.name.c_str(), nullptr, nullptr, body.file, body.line,
            [&body]() -> ::testing::Test* { return new PeerCase(body); });
    }
}

int run_all()
{
    agree_on_seed();
    register_all();
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter);
    signal(SIGALRM, &end_a_hang);
    int failed = RUN_ALL_TESTS();
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank() == 0) {
        std::printf("%d bodies ran on %d ranks, FMPL_TEST_SEED=%llu: %s\n",
            ::testing::UnitTest::GetInstance()->test_to_run_count(), size(), static_cast<unsigned long long>(seed()),
            failed == 0 ? "all hold" : "failures");
    }
    return failed;
}

}  // namespace

bool register_test(const char* suite, const char* name, const char* file, int line, Body in_mpi, std::vector<int> ranks)
{
    bodies().push_back({suite, name, file, line, in_mpi, std::move(ranks)});
    return true;
}

void run_in_mpi(Body body)
{
    body();
}

std::uint64_t seed()
{
    return seed_of_this_run();
}

Library library()
{
#ifdef OPEN_MPI
    return Library::openmpi;
#else
    return Library::mpich;
#endif
}

bool excepted(const std::string& what)
{
    return exception_for(what) != nullptr;
}

}  // namespace mpi_test

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    ::testing::InitGoogleTest(&argc, argv);
    const int failed = mpi_test::run_all();
    MPI_Finalize();
    return failed;
}
