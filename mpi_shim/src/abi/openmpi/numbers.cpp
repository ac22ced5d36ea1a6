#include "interface/numbers.hpp"

#include <array>
#include <cstddef>

namespace fmpl::mpi {
namespace {

// Numbers up to the last class that has a place of its own; MPI_ERR_LASTCODE is asked for apart.
constexpr int kClasses = 128;
struct Classes {
    std::array<int, kClasses> in{};
    std::array<int, kClasses> out{};
};

constexpr Classes make_classes()
{
    Classes classes;
    // What the core does not know, as the classes of MPI_T, is an unknown error.
    classes.in.fill(code_of(ErrorClass::unknown));
    classes.out.fill(MPI_ERR_UNKNOWN);
#define FMPL_ERROR_CLASS(core, users)                                                       \
    if (code_of(ErrorClass::core) < kClasses) {                                             \
        classes.out[static_cast<std::size_t>(code_of(ErrorClass::core))] = MPI_ERR_##users; \
    }                                                                                       \
    classes.in[static_cast<std::size_t>(MPI_ERR_##users)] = code_of(ErrorClass::core);
#include "abi/error_classes.def"
#undef FMPL_ERROR_CLASS
    return classes;
}
constexpr Classes kTable = make_classes();

}  // namespace

int error_class_in(int error_class)
{
    return error_class >= 0 && error_class < kClasses ? kTable.in[static_cast<std::size_t>(error_class)] : error_class;
}

int error_class_out(int error_class)
{
    if (error_class == code_of(ErrorClass::last_code)) return MPI_ERR_LASTCODE;
    return error_class >= 0 && error_class < kClasses ? kTable.out[static_cast<std::size_t>(error_class)] : error_class;
}

}  // namespace fmpl::mpi
