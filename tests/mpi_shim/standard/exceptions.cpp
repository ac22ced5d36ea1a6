#include "exceptions.hpp"

namespace mpi_test {
namespace {

// Open MPI 4.1.4 and MPICH 4.0.2, as Debian 12 ships them.
constexpr Exception kExceptions[] = {
    {Library::mpich, "PackExternal.DerivedTypesAreConvertedEntryByEntry",
        "MPI_Pack_external_size of a structure ends with an illegal instruction"},
    {Library::mpich, "PackExternal.AnUnknownRepresentationIsAnError", "is not refused"},
    {Library::mpich, "a subarray beyond its array", "is accepted"},
    {Library::mpich, "Pack.TooLittleRoomIsAnErrorAndNothingIsWrittenBeyondIt", "writes beyond it"},
    {Library::openmpi, "PackExternal.ALongHasFourBytes", "does not use the standard's size"},
    {Library::openmpi, "PackExternal.AnUnknownRepresentationIsAnError", "is not refused"},
    {Library::mpich, "MPI_Get_elements of random types", "divides by zero for some with empty blocks"},
    {Library::openmpi, "Arguments.AnActivePersistentRequestIsNotStartedAgain", "starts it"},
    {Library::openmpi, "Truncation.ItIsReportedWritesNothingBeyondTheBufferAndTheNextMessageArrives",
        "writes past the buffer when the message is long"},
    {Library::openmpi, "Truncation.WaitallSaysWhichRequestFailed", "writes past the buffer when the message is long"},
    {Library::openmpi, "BufferedSend.AMessageThatDoesNotFitIsRefusedAndTheNextOneGoes",
        "MPI_Buffer_detach waits for ever once a message has been refused"},
    {Library::mpich, "status of MPI_Testany without active requests", "is left as it was when they are persistent"},
    {Library::openmpi, "MPI_Get_count of data as an empty type", "0, as before MPI-3"},
    {Library::mpich, "MPI_ERROR of a single status", "is set to MPI_SUCCESS"},
    {Library::mpich, "status of a nonblocking receive from MPI_PROC_NULL", "is the empty one"},
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
    {Library::mpich, "Reduce.InPlaceAtTheRoot", "reads MPI_IN_PLACE as an address when the root is not 0"},
    {Library::openmpi, "IntercommunicatorCollective.ScansAreNotDefined", "crashes"},
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
    {Library::openmpi, "NeighborAllgather.NeedsATopology", "gives another error class"},
    {Library::openmpi, "predefined attributes are constant", "gives another error class"},
    {Library::openmpi, "names of types are not copied", "MPI_Type_dup makes a name of the old one"},
    {Library::openmpi, "MPI_Cart_shift in a dimension that is not there", "is accepted"},
    {Library::openmpi, "Graph.MapGivesEachUsedRankAPlace", "gives unused ranks a place, too"},
    {Library::openmpi, "Environment.TheLibraryNamesItself", "the length is not that of the text"},
    {Library::openmpi, "new communicators have no name", "a duplicate's name says whose duplicate it is"},
    {Library::mpich, "DistributedGraph.WrongRanksAreErrors", "is accepted"},
    {Library::mpich, "ErrorClass.WordsOfPredefinedOnesCannotBeChanged", "they can"},
    {Library::mpich, "ErrorHandler.OfARequestIsThatOfItsCommunicator", "is fatal: it is raised on MPI_COMM_WORLD"},
    {Library::mpich, "Environment.MemoryThatIsNotThereIsAnError", "is promised all the same"},
    {Library::openmpi, "truncation of a message to oneself", "is not reported"},
};

}  // namespace

std::span<const Exception> exceptions()
{
    return kExceptions;
}

}  // namespace mpi_test
