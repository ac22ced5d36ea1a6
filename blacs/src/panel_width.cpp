// PILAENV, which the PBLAS of ScaLAPACK ask for their logical block size: how many columns of a matrix, gathered from
// several processes' blocks, they broadcast and multiply at a time. ScaLAPACK's own says 32, whatever the machine. A
// wider panel makes fewer, longer messages and better use of a BLAS. blacs/README.md has the measurement behind the
// default.
#include "boundary.hpp"

#include "error.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace fmpl::blacs {
namespace {

constexpr const char* kVariable = "FMPL_PANEL_WIDTH";
constexpr int kDefaultWidth = 160;
constexpr int kWidest = 4096;

int width_from_environment()
{
    const char* value = std::getenv(kVariable);
    if (value == nullptr) return kDefaultWidth;
    const std::string_view text(value);
    int width = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error != std::errc{} || rest != text.data() + text.size() || width < 1 || width > kWidest) {
        refuse(
            "{}={} is not a number of columns from 1 to {}; unset it for {}", kVariable, text, kWidest, kDefaultWidth);
    }
    return width;
}

}  // namespace
}  // namespace fmpl::blacs

// prec, the data type, changes nothing.
extern "C" int pilaenv_(const int* context, const char*)
{
    try {
        static const int width = fmpl::blacs::width_from_environment();
        return width;
    } catch (const std::exception& e) {
        fmpl::blacs::give_up("pilaenv", *context, e.what());
    }
}
