// Errors cross the boundary of libfmpl.so in both directions as fmpl::Error.
#include <fmpl/fmpl.hpp>

#include <cstdio>

int main()
{
    try {
        fmpl::run_ranks(0, [](int) {});
        std::puts("run_ranks(0) did not throw");
        return 1;
    } catch (const fmpl::Error& e) {
        if (e.code() != FMPL_ERR_ARGUMENT) {
            std::printf("run_ranks(0) threw code %d: %s\n", e.code(), e.what());
            return 1;
        }
    }
    try {
        fmpl::run_ranks(1, [](int) { throw fmpl::Error(FMPL_ERR_SYSTEM, "from the rank"); });
        std::puts("the rank's exception was lost");
        return 1;
    } catch (const fmpl::Error& e) {
        return e.code() == FMPL_ERR_SYSTEM ? 0 : 1;
    }
}
