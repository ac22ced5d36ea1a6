#include "handles/handles.hpp"

#include "error.hpp"

#include <array>
#include <cstddef>

namespace fmpl::mpi {
namespace {

struct Named {
    Predefined type;
    HandleNumber handle;
};

using enum Predefined;

constexpr std::array<Named, kPredefinedCount> kHandles = {{
    {character, 0x4c000101},
    {signed_char, 0x4c000118},
    {unsigned_char, 0x4c000102},
    {wchar, 0x4c00040e},
    {short_int, 0x4c000203},
    {unsigned_short, 0x4c000204},
    {integer, 0x4c000405},
    {unsigned_integer, 0x4c000406},
    {long_int, 0x4c000807},
    {unsigned_long, 0x4c000808},
    {long_long, 0x4c000809},
    {unsigned_long_long, 0x4c000819},
    {float_real, 0x4c00040a},
    {double_real, 0x4c00080b},
    {long_double, 0x4c00100c},
    {c_bool, 0x4c00013f},
    {c_float_complex, 0x4c000840},
    {c_double_complex, 0x4c001041},
    {c_long_double_complex, 0x4c002042},
    {int8, 0x4c000137},
    {int16, 0x4c000238},
    {int32, 0x4c000439},
    {int64, 0x4c00083a},
    {uint8, 0x4c00013b},
    {uint16, 0x4c00023c},
    {uint32, 0x4c00043d},
    {uint64, 0x4c00083e},
    {cxx_bool, 0x4c000133},
    {cxx_float_complex, 0x4c000834},
    {cxx_double_complex, 0x4c001035},
    {cxx_long_double_complex, 0x4c002036},
    {byte, 0x4c00010d},
    {packed, 0x4c00010f},
    {aint, 0x4c000843},
    {offset, 0x4c000844},
    {count, 0x4c000845},
    {fortran_character, 0x4c00011a},
    {fortran_logical, 0x4c00041d},
    {fortran_integer, 0x4c00041b},
    {fortran_real, 0x4c00041c},
    {fortran_double_precision, 0x4c00081f},
    {fortran_complex, 0x4c00081e},
    {fortran_double_complex, 0x4c001022},
    {integer1, 0x4c00012d},
    {integer2, 0x4c00022f},
    {integer4, 0x4c000430},
    {integer8, 0x4c000831},
    {logical1, 0x4c000150},
    {logical2, 0x4c000251},
    {logical4, 0x4c000452},
    {logical8, 0x4c000853},
    {real4, 0x4c000427},
    {real8, 0x4c000829},
    {real16, 0x4c00102b},
    {complex8, 0x4c000828},
    {complex16, 0x4c00102a},
    {complex32, 0x4c00202c},
    {float_and_int, static_cast<int>(0x8c000000)},
    {double_and_int, static_cast<int>(0x8c000001)},
    {long_and_int, static_cast<int>(0x8c000002)},
    {short_and_int, static_cast<int>(0x8c000003)},
    {long_double_and_int, static_cast<int>(0x8c000004)},
    {two_ints, 0x4c000816},
    {two_fortran_integers, 0x4c000820},
    {two_fortran_reals, 0x4c000821},
    {two_fortran_double_precisions, 0x4c001023},
    {two_fortran_complexes, 0x4c001054},
    {two_fortran_double_complexes, 0x4c002055},
    {lower_bound, 0x4c000010},
    {upper_bound, 0x4c000011},
}};

constexpr bool is_in_order()
{
    for (std::size_t i = 0; i < kHandles.size(); ++i) {
        if (static_cast<std::size_t>(kHandles[i].type) != i) return false;
    }
    return true;
}
static_assert(is_in_order(), "the table has the order of the enumeration");

}  // namespace

int checked_handle(int handle, ErrorClass error_class, const char* what)
{
    if (handle == 0) fail(error_class, "there are too many {} at a time; free some that are not needed", what);
    return handle;
}

std::optional<Predefined> predefined_of(HandleNumber handle)
{
    for (const Named& entry : kHandles) {
        if (entry.handle == handle) return entry.type;
    }
    return std::nullopt;
}

HandleNumber handle_of(Predefined type)
{
    return kHandles[static_cast<std::size_t>(type)].handle;
}

}  // namespace fmpl::mpi
