// The main program of every test executable: the tests, or, in a process that is one rank of a job, one body.
#include "ranks_test.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv)
{
    // Many tests provoke errors; their words are checked, not printed.
    setenv("FMPL_ERRORS", "return", 0);
    ::testing::InitGoogleTest(&argc, argv);
    try {
        if (const char* body = std::getenv("FMPL_TEST_BODY")) return fmpl_test::run_body_in_this_process(body);
        fmpl_test::register_all();
        std::printf("FMPL_TEST_SEED=%llu repeats the random tests of this run\n",
            static_cast<unsigned long long>(fmpl_test::seed()));
        std::fflush(stdout);
        return RUN_ALL_TESTS();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
