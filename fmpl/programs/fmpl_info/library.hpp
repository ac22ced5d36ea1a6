// What this installation of FMPL is, and its fixed sizes.
#pragma once

#include "fact.hpp"

namespace fmpl::info {

Section installation();
Section limits();

}  // namespace fmpl::info
