// Preloaded by fmplrun --blacs: gives PSLACON and PDLACON of ScaLAPACK 2.2.1 (and 2.2.2) the EST that they read.
//
// PSLACON estimates a norm in several calls: KASE is 0 in the first. EST is its result, and documented as output alone,
// but it is copied on entry and, in the third call, compared with the first estimate. Its callers (PSGECON, PSGERFS,
// PSPOCON, PSPORFS, ...) leave it undefined. So the processes of a column compare with what happens to lie on their
// stacks, may decide differently, and then wait for each other for ever, over any BLACS: in Debian 12 the testers xslu
// and xsllt do. The defect is issue 121 of Reference-ScaLAPACK. Here EST starts as 0, as in ScaLAPACK's own correction.
// PCLACON and PZLACON set theirs.
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace {

// ScaLAPACK's own routine, which this library stands in front of.
template <class Routine>
Routine* next(const char* name)
{
    void* found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        std::fprintf(stderr,
            "fmplrun --blacs: %s was called and is in no shared library; run the program without --blacs, and link it "
            "with -lblacs_fmpl instead\n",
            name);
        std::abort();
    }
    return reinterpret_cast<Routine*>(found);
}

constexpr int kFirstCall = 0;  // value of KASE

template <class Real>
using Lacon = void(const int* n, Real* v, const int* iv, const int* jv, const int* descv, Real* x, const int* ix,
    const int* jx, const int* descx, int* isgn, Real* est, int* kase);

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void pslacon_(const int* n, float* v, const int* iv, const int* jv, const int* descv,
    float* x, const int* ix, const int* jx, const int* descx, int* isgn, float* est, int* kase)
{
    static Lacon<float>* const scalapack = next<Lacon<float>>("pslacon_");
    if (*kase == kFirstCall) *est = 0;
    scalapack(n, v, iv, jv, descv, x, ix, jx, descx, isgn, est, kase);
}

[[gnu::visibility("default")]] void pdlacon_(const int* n, double* v, const int* iv, const int* jv, const int* descv,
    double* x, const int* ix, const int* jx, const int* descx, int* isgn, double* est, int* kase)
{
    static Lacon<double>* const scalapack = next<Lacon<double>>("pdlacon_");
    if (*kase == kFirstCall) *est = 0;
    scalapack(n, v, iv, jv, descv, x, ix, jx, descx, isgn, est, kase);
}

}  // extern "C"
