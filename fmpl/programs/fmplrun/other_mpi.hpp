// The MPI of others that a program was built with, as the libraries say that it needs.
#pragma once

#include "options.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace fmpl::launcher {

// By a library's name: Open MPI's own, of any version; those of MPICH's binary interface (MPICH, Intel MPI, MVAPICH),
// those of Open MPI's that FMPL has, and that of the standard's (MPI-5).
bool is_of_open_mpi(std::string_view library);
bool has_mpich_interface(std::string_view library);
bool has_open_mpi_interface(std::string_view library);
bool has_standard_interface(std::string_view library);

// A job of several ranks of a program that calls another MPI is as many programs of one rank: the words to say so,
// and what to do; nothing where the program brings FMPL, or the options put FMPL's libraries in front. Does not run
// the program.
std::optional<std::string> warning_of_other_mpi(const Options& options);

}  // namespace fmpl::launcher
