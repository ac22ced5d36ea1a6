// What the machine under FMPL offers.
#pragma once

#include "fact.hpp"

namespace fmpl::info {

// Reads the system; never fails: what cannot be found out is "unknown".
Section machine();

}  // namespace fmpl::info
