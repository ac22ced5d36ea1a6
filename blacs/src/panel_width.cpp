// PILAENV, which the PBLAS of ScaLAPACK ask for their logical block size: how many columns of a matrix, gathered from
// several processes' blocks, they broadcast and multiply at a time. ScaLAPACK's own says 32, whatever the machine and
// whoever asks. Where a general matrix is multiplied, a wider panel makes fewer, longer messages and better use of a
// BLAS; where a symmetric or triangular one is, the blocks on the diagonal are computed whole, and a wider panel
// computes more in vain. blacs/README.md has the measurements behind the defaults.
#include "boundary.hpp"

#include "error.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include <dlfcn.h>

namespace fmpl::blacs {
namespace {

constexpr const char* kVariable = "FMPL_PANEL_WIDTH";
constexpr int kGeneralWidth = 160;
constexpr int kOtherWidth = 32;
constexpr int kWidest = 4096;

std::optional<int> width_from_environment()
{
    const char* value = std::getenv(kVariable);
    if (value == nullptr) return std::nullopt;
    const std::string_view text(value);
    int width = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error != std::errc{} || rest != text.data() + text.size() || width < 1 || width > kWidest) {
        refuse(
            "{}={} is not a number of columns from 1 to {}; unset it for {} in products of general matrices and {} in "
            "others",
            kVariable, text, kWidest, kGeneralWidth, kOtherWidth);
    }
    return width;
}

// Whether that is within one of PxGEMM's three algorithms, PB_CpgemmAB, AC and BC. Where the dynamic linker knows no
// names, as of what was linked statically, it is not.
bool multiplies_general_matrices(const void* code)
{
    Dl_info place;
    return dladdr(code, &place) != 0 && place.dli_sname != nullptr &&
           std::string_view(place.dli_sname).starts_with("PB_Cpgemm");
}

int default_width(const void* caller)
{
    // Some thirty places ask, and to name one takes microseconds. A place that another one has taken the entry of is
    // named again.
    struct Answer {
        const void* caller = nullptr;
        int width = 0;
    };
    static thread_local std::array<Answer, 256> answers;
    Answer& answer = answers[reinterpret_cast<std::uintptr_t>(caller) / 16 % answers.size()];
    if (answer.caller != caller) answer = {caller, multiplies_general_matrices(caller) ? kGeneralWidth : kOtherWidth};
    return answer.width;
}

}  // namespace
}  // namespace fmpl::blacs

// prec, the data type, changes nothing.
extern "C" int pilaenv_(const int* context, const char*)
{
    try {
        static const std::optional<int> chosen = fmpl::blacs::width_from_environment();
        return chosen ? *chosen : fmpl::blacs::default_width(__builtin_return_address(0));
    } catch (const std::exception& e) {
        fmpl::blacs::give_up("pilaenv", *context, e.what());
    }
}
