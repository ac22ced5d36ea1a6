// The hardware barrier, of all members or of two.
#pragma once

#include "coll/meeting.hpp"

namespace fmpl {

void barrier_hardware(Meeting& m, BarrierRecord& record);
void barrier_of_two(Meeting& m, BarrierRecord& record);

}  // namespace fmpl
