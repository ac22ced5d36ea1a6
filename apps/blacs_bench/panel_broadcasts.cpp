// A program's own functions come before those of its libraries, so that ScaLAPACK calls these; they call the BLACS's.
#include "panel_broadcasts.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace {

const fmpl::bench::PanelsAtHand* at_hand = nullptr;

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
    if (at_hand == nullptr) broadcast(context, scope, topology, m, n, a, lda);
}

void Cdgebr2d(
    int context, const char* scope, const char* topology, int m, int n, double* a, int lda, int row, int column)
{
    static const auto receive = of_the_blacs<decltype(Cdgebr2d)>("Cdgebr2d");
    if (at_hand == nullptr) {
        receive(context, scope, topology, m, n, a, lda, row, column);
    } else {
        at_hand->receive(m, n, a, lda);
    }
}
}

namespace fmpl::bench {

PanelsAtHand::PanelsAtHand(Panels panels, std::span<const double> source) : panels_(panels), source_(source)
{
    at_hand = this;
}

PanelsAtHand::~PanelsAtHand()
{
    at_hand = nullptr;
}

void PanelsAtHand::receive(int m, int n, double* a, int lda) const
{
    if (panels_ == Panels::left_out || source_.empty() || m <= 0 || n <= 0) return;
    const auto rows = static_cast<std::size_t>(m);
    const auto columns = static_cast<std::size_t>(n);
    if (lda == m) return copy(a, rows * columns);
    for (std::size_t j = 0; j < columns; ++j) copy(a + j * static_cast<std::size_t>(lda), rows);
}

void PanelsAtHand::copy(double* to, std::size_t count) const
{
    while (count > 0) {
        const std::size_t piece = std::min(count, source_.size());
        std::memcpy(to, source_.data(), piece * sizeof(double));
        to += piece;
        count -= piece;
    }
}

}  // namespace fmpl::bench
