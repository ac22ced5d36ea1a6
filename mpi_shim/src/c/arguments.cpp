#include "c/arguments.hpp"

namespace fmpl::mpi {

void fail_negative_count(std::int64_t count, const char* argument)
{
    fail(ErrorClass::count, "{} = {} is negative; give 0 or more", argument, count);
}

void fail_rank(const Communicator& comm, int rank, const char* argument)
{
    fail(ErrorClass::rank, "{} = {} is not a rank of the {}; it has {}", argument, rank_out(rank),
        comm.is_inter() ? "remote group of the intercommunicator" : "communicator", comm.peers().size());
}

void fail_tag(int tag, const char* argument, bool wildcard_allowed)
{
    fail(ErrorClass::tag, "{} = {} is not a tag; give 0 or more{}", argument, tag_out(tag),
        wildcard_allowed ? " or MPI_ANY_TAG" : "");
}

void fail_buffer(const void* buffer, const char* argument)
{
    if (buffer == MPI_IN_PLACE) {
        fail(ErrorClass::buffer, "{} is MPI_IN_PLACE, which has no meaning here; give the address of the data",
            argument);
    }
    fail(ErrorClass::buffer, "{} is a null pointer, and the message is not empty; give the address of the data",
        argument);
}

void fail_array(const char* argument)
{
    fail(ErrorClass::argument, "{} is a null pointer; give the address of an array", argument);
}

}  // namespace fmpl::mpi
