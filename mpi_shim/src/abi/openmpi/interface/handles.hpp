// Open MPI's handles: the address of a predefined object (predefined.def), or of what a call has made, as
// abi/pointer_handles.hpp says. Every interface has the functions there.
#pragma once

#include "abi/pointer_handles.hpp"
