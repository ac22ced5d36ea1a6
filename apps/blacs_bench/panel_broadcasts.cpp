// A program's own functions come before those of its libraries, so that ScaLAPACK calls these; they call the BLACS's.
#include "panel_broadcasts.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <iostream>

namespace {

bool left_out = false;

template <class Function>
Function* of_the_blacs(const char* name)
{
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        std::cerr << "scalapack-pdgemm-limit: no library has " << name << "\n";
        std::abort();
    }
    return reinterpret_cast<Function*>(found);
}

}  // namespace

extern "C" {

void Cdgebs2d(int context, const char* scope, const char* topology, int m, int n, const double* a, int lda)
{
    static const auto broadcast = of_the_blacs<decltype(Cdgebs2d)>("Cdgebs2d");
    if (!left_out) broadcast(context, scope, topology, m, n, a, lda);
}

void Cdgebr2d(
    int context, const char* scope, const char* topology, int m, int n, double* a, int lda, int row, int column)
{
    static const auto receive = of_the_blacs<decltype(Cdgebr2d)>("Cdgebr2d");
    if (!left_out) receive(context, scope, topology, m, n, a, lda, row, column);
}
}

namespace fmpl::bench {

NoPanelBroadcasts::NoPanelBroadcasts()
{
    left_out = true;
}
NoPanelBroadcasts::~NoPanelBroadcasts()
{
    left_out = false;
}

}  // namespace fmpl::bench
