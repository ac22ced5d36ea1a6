#include "p2p/request.hpp"

#include "error.hpp"

namespace fmpl::mpi {

Request::Request(Life life) : status(Status::empty()), life_(life) {}

void Request::start(Messenger&)
{
    fail(ErrorClass::request,
        "request is not persistent; only requests of MPI_Send_init, MPI_Recv_init and the like are started");
}

}  // namespace fmpl::mpi
