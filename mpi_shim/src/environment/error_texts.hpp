// Error classes and codes in words (MPI-3.1, sections 8.4 and 8.5).
#pragma once

#include <string>

namespace fmpl::mpi {

struct Environment;

// Of a predefined class, MPI_SUCCESS included; null for any other number.
const char* error_text(int error_class);

// What MPI_Error_string and MPI_Error_class answer, user's classes and codes included. MPI_ERR_ARG for a code that
// nobody has defined.
std::string error_string(const Environment& environment, int code);
int class_of_error(const Environment& environment, int code);

// MPI_Add_error_class (its class is itself), MPI_Add_error_code: the new code. MPI_ERR_ARG: `error_class` is none.
int add_error_class(Environment& environment);
int add_error_code(Environment& environment, int error_class);
// MPI_ERR_ARG: the code is not the user's, or the text is too long.
void set_error_string(Environment& environment, int code, const std::string& text);

}  // namespace fmpl::mpi
