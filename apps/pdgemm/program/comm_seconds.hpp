// The time that the calling rank has spent in the communication library under the BLACS: the one thing that the program
// asks of that library beside the BLACS. One implementation per communication library.
#pragma once

namespace fmpl::pdgemm {

// Begins to count, if the library does not do so by itself. Call after Cblacs_pinfo.
void count_comm_seconds();

// Seconds since then.
double comm_seconds();

}  // namespace fmpl::pdgemm
