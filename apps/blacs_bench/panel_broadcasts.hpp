// What scalapack-pdgemm-limit.* does in place of PDGEMM's broadcasts of panels.
#pragma once

#include <cstddef>
#include <span>

namespace fmpl::bench {

enum class Panels {
    copied,    // a process copies each panel that it needs, from memory that it need not wait for
    left_out,  // not even that
};

// While one exists, this process sends nothing by the broadcasts of double precision, and what they receive comes
// from `source`, which is repeated as often as necessary. One at a time.
class PanelsAtHand {
public:
    PanelsAtHand(Panels panels, std::span<const double> source);
    ~PanelsAtHand();
    PanelsAtHand(const PanelsAtHand&) = delete;
    PanelsAtHand& operator=(const PanelsAtHand&) = delete;

    // A panel of m x n elements with the leading dimension lda.
    void receive(int m, int n, double* a, int lda) const;

private:
    void copy(double* to, std::size_t count) const;

    Panels panels_;
    std::span<const double> source_;
};

}  // namespace fmpl::bench
