// The routines of Fortran, as bindings.def lists them.
#include "fortran/attributes.hpp"
#include "fortran/define.hpp"
#include "fortran/special_calls.hpp"

#include "fortran/bindings.def"
