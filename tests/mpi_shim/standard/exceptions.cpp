#include "exceptions.hpp"

namespace mpi_test {
namespace {

// Open MPI 4.1.4 and MPICH 4.0.2, as Debian 12 ships them.
constexpr Exception kExceptions[] = {
    {Library::openmpi, "Arguments.AnActivePersistentRequestIsNotStartedAgain", "starts it"},
    {Library::openmpi, "Truncation.ItIsReportedWritesNothingBeyondTheBufferAndTheNextMessageArrives",
        "writes past the buffer when the message is long"},
    {Library::openmpi, "Truncation.WaitallSaysWhichRequestFailed", "writes past the buffer when the message is long"},
    {Library::openmpi, "BufferedSend.AMessageThatDoesNotFitIsRefusedAndTheNextOneGoes",
        "MPI_Buffer_detach waits for ever once a message has been refused"},
    {Library::mpich, "status of MPI_Testany without active requests", "is left as it was when they are persistent"},
    {Library::openmpi, "MPI_Get_count of data as an empty type", "0, as before MPI-3"},
    {Library::mpich, "MPI_ERROR of a single status", "is set to MPI_SUCCESS"},
    {Library::mpich, "status of a persistent receive from MPI_PROC_NULL", "is the empty one"},
    {Library::openmpi, "Arguments.ABadCommunicatorIsRefused", "is fatal: it is raised on MPI_COMM_NULL"},
    {Library::openmpi, "class of a second MPI_Buffer_attach", "MPI_ERR_UNKNOWN"},
    {Library::mpich, "MPI_Allgatherv on one rank", "the displacement is ignored"},
    {Library::mpich, "MPI_Ialltoallw in place",
        "copies a multiple of the bytes when types differ: truncation, reported as an error"},
    {Library::openmpi, "MPI_Alltoallv in place, long blocks", "blocks of wrong pairs get mixed up from 4 ranks on"},
    {Library::openmpi, "MPI_REAL16", "no operations on it, though none says so"},
    {Library::mpich, "MPI_REAL16", "taken for C's long double"},
    {Library::openmpi, "MPI_SUM on MPI_BYTE is an error", "adds bytes as unsigned char"},
    {Library::openmpi, "NonblockingCollective.RequestsCannotBeFreed", "frees it, and crashes later"},
    {Library::mpich, "UserOperation.ReducesInPlaceInTheOrderOfTheRanks",
        "reads MPI_IN_PLACE as an address when the root is not 0"},
    {Library::mpich, "collective calls of one rank beside receives from any source",
        "their messages are taken by the receives"},
    {Library::mpich, "MPI_Info_get cuts a value", "it is an error that the value is too long"},
    {Library::mpich, "MPI_Comm_remote_size of an intracommunicator is an error", "gives a size"},
    {Library::mpich, "a rank twice in a group", "is accepted"},
    {Library::mpich, "MPI_Cart_create with negative dimensions", "is accepted"},
    {Library::mpich, "DistributedGraph.NeighboursMayBeAskedForInPart", "is an error"},
    {Library::mpich, "Cartesian.SubOfNothingIsEachRankAlone", "only the first rank gets a communicator"},
    {Library::openmpi, "MPI_KEYVAL_INVALID gives MPI_ERR_KEYVAL", "gives MPI_ERR_OTHER"},
    {Library::openmpi, "MPI_Comm_remote_size of an intracommunicator is an error", "gives a size"},
    {Library::openmpi, "a rank twice in a group", "is accepted"},
    {Library::openmpi, "MPI_Dims_create with all dimensions given, and wrong", "is accepted"},
    {Library::openmpi, "MPI_Cart_coords of a rank that is not there", "is accepted"},
    {Library::openmpi, "MPI_Error_class of an added class", "is MPI_ERR_UNKNOWN"},
    {Library::openmpi, "Cartesian.MapGivesEachUsedRankAPlace", "gives unused ranks a place, too"},
    {Library::mpich, "MPI_INFO_NULL gives MPI_ERR_INFO", "gives MPI_ERR_ARG"},
};

}  // namespace

std::span<const Exception> exceptions()
{
    return kExceptions;
}

}  // namespace mpi_test
