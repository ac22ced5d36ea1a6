// Ranks that ask again and again whether something has come, instead of waiting for it.
#pragma once

namespace fmpl::bench {

struct Options;
struct Job;
class Report;

// A row for each manner of asking: the time of a hop of a number that goes around the ranks, each of which polls for
// it in that manner; of a barrier that each rank polls for (ibarrier); and of a panel (panels). Panels go around the
// ranks as in HPL: each rank is the root in turn, and the others look by MPI_Iprobe for the panel between the pieces
// of a computation that lasts longer than the panel takes, and hand it on.
void run_polling(const Options& options, const Job& job, Report& report);

}  // namespace fmpl::bench
