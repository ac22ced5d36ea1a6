#include "p2p/generalized_request.hpp"

#include "error.hpp"

#include <mpi.h>

namespace fmpl::mpi {

int GeneralizedRequest::mark_complete()
{
    complete = true;
    return freed_ ? functions_.free() : MPI_SUCCESS;
}

int GeneralizedRequest::finish()
{
    const int asked = query();
    const int freed = functions_.free();
    return asked != MPI_SUCCESS ? asked : freed;
}

void GeneralizedRequest::cancel(Engine&)
{
    const int code = functions_.cancel(complete);
    if (code != MPI_SUCCESS) fail(code, "the cancel function of the generalized request returned {}", code);
}

void GeneralizedRequest::abandon()
{
    freed_ = true;
    const int code = complete ? functions_.free() : MPI_SUCCESS;
    if (code != MPI_SUCCESS) fail(code, "the free function of the generalized request returned {}", code);
}

}  // namespace fmpl::mpi
