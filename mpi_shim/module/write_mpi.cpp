// Writes the Fortran module mpi to standard output: the declarations of mpif.h, and interfaces for routines of
// src/fortran/bindings.def, so that the compiler checks arguments. Runs in the build.
//
// A routine has an interface if each of its arguments is one variable, a status or a text. Buffers have any type; and
// for an array that nobody looks at, or of one element, programs pass a scalar, and for a type an array of types. Nor
// have the routines under their profiling names, nor, so, those that tools take the place of most: a subroutine
// mpi_send could not use a module that declares mpi_send. MPICH's module leaves the same to the compiler's implicit
// interfaces.
#include "routines.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// What a kind of bindings.def is in Fortran, with @ for the name; of the kinds that an interface may have.
const std::map<std::string_view, std::string_view> kDeclarations = {
    {"Int", "integer :: @"},
    {"IntOut", "integer :: @"},
    {"IndexOut", "integer :: @"},
    {"Handle", "integer :: @"},
    {"HandleOut", "integer :: @"},
    {"Logical", "logical :: @"},
    {"LogicalOut", "logical :: @"},
    {"Aint", "integer(kind=MPI_ADDRESS_KIND) :: @"},
    {"AintOut", "integer(kind=MPI_ADDRESS_KIND) :: @"},
    {"Count", "integer(kind=MPI_COUNT_KIND) :: @"},
    {"CountOut", "integer(kind=MPI_COUNT_KIND) :: @"},
    {"Offset", "integer(kind=MPI_OFFSET_KIND) :: @"},
    {"OffsetOut", "integer(kind=MPI_OFFSET_KIND) :: @"},
    {"Status", "integer :: @(MPI_STATUS_SIZE)"},
    {"Text", "character(len=*) :: @"},
    {"InfoText", "character(len=*) :: @"},
    {"TextOut", "character(len=*) :: @"},
};

void write_interface(const Routine& routine)
{
    const auto words = words_of(routine.arguments);
    std::string line = "    subroutine " + std::string(routine.name) + "(";
    std::string declarations;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        const std::string argument(words[i + 1]);
        const auto found = kDeclarations.find(words[i]);
        if (found == kDeclarations.end()) return;
        std::string declaration(found->second);
        declaration.replace(declaration.find('@'), 1, argument);
        declarations += "      " + declaration + "\n";
        if (line.size() - (line.rfind('\n') + 1) > 80) line += "&\n        ";
        line += argument + ", ";
    }
    std::printf(
        "%sierror)\n      import :: MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_OFFSET_KIND, MPI_STATUS_SIZE\n%s      "
        "integer :: ierror\n"
        "    end subroutine\n",
        line.c_str(), declarations.c_str());
}

}  // namespace

int main()
{
    std::puts("module mpi\n  implicit none\n  include 'mpif.h'\n\n  interface");
    for (const Routine& routine : kRoutines) write_interface(routine);
    std::puts("  end interface\n");
    write_sizeof("integer", "integer");
    std::puts("end module mpi");
    return std::fflush(stdout) == 0 ? 0 : 1;
}
