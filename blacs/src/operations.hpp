// The operations on matrices, of the communication library that this build uses (transport.hpp):
//
//   send_matrix, receive_matrix        between two processes of a context
//   broadcast_send, broadcast_receive  over a scope
//   sum, find_extreme                  over a scope, to one process or to all (combine_semantics.hpp)
#pragma once

#ifdef FMPL_BLACS_MPI
#include "mpi/broadcast.hpp"
#include "mpi/combine.hpp"
#include "mpi/point_to_point.hpp"
#else
#include "fmpl/broadcast.hpp"
#include "fmpl/combine.hpp"
#include "fmpl/point_to_point.hpp"
#endif
