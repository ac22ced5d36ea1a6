// What an MPI_Message handle stands for: a message that MPI_Mprobe has taken out of the matching (MPI-3.1, section
// 3.8.2).
#pragma once

#include "group/communicator.hpp"
#include "messenger/messenger.hpp"

namespace fmpl::mpi {

struct ProbedMessage {
    MatchedMessage message;
    CommunicatorPtr comm;  // it came by
};

}  // namespace fmpl::mpi
