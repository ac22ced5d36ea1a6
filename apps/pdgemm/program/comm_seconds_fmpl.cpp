#include "comm_seconds.hpp"

#include <fmpl/observe.h>

namespace fmpl::pdgemm {

void count_comm_seconds()
{
    fmpl_stats_enable(1);
}

double comm_seconds()
{
    return fmpl_stats_seconds();
}

}  // namespace fmpl::pdgemm
