// What another library of the job asks of this MPI (fmpl/layers.h).
#include "abi/boundary.hpp"
#include "handles/handles.hpp"
#include "comm/creation.hpp"

#include <fmpl/mpi_services.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

using namespace fmpl::mpi;

namespace {

// A program may use it too: a rank makes one communicator after the other, and ranks that share several make them in
// the same order.
constexpr int kCreationTag = 0;

// Runs body() and gives the words of its error, or null. They belong to the thread, and stay until it makes another
// call: no other rank gets its turn before the caller has read them.
template <class Body>
const char* words_of(Body&& body)
{
    static thread_local std::string words;
    static const std::shared_ptr<ThreadTurns> kNone;
    try {
        const Process* const process = find_process();
        const InTurn turn(process != nullptr ? process->turns : kNone);
        body();
        return nullptr;
    } catch (const JobEnding& error) {
        fmpl_abort(1, error.what());
    } catch (const std::bad_alloc&) {
        return "the process has no memory left";
    } catch (const std::exception& error) {
        words = error.what();
        return words.c_str();
    }
}

Process& required_process()
{
    Process* const process = find_process();
    if (process == nullptr) fail(ErrorClass::other, "MPI is not up; call between MPI_Init and MPI_Finalize");
    return *process;
}

template <class Handle>
int low_bits(Handle handle)
{
    if constexpr (std::is_pointer_v<Handle>) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle));
    } else {
        return handle;
    }
}

// Of Fortran's handle, or of C's, of which Csys2blacs_handle and its like take the lower bits: those of what a call has
// made are Fortran's.
HandleNumber number_of_comm(int comm)
{
    for (const MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL}) {
        if (low_bits(predefined) == comm) return number_of(predefined);
    }
    return number_of_fortran<MPI_Comm>(comm);
}

int is_up()
{
    return find_process() != nullptr ? 1 : 0;
}

const char* init()
{
    return words_of([] { join_process(kThreadSingle); });
}

const char* finalize()
{
    return words_of([] {
        required_process();
        leave_process();
    });
}

int is_comm(int comm)
{
    return is_handle_of(HandleKind::communicator, number_of_comm(comm)) ? 1 : 0;
}

const char* comm_world_ranks(int comm, int* world_ranks, int room, int* size)
{
    return words_of([&] {
        const Communicator& of = *required_process().communicator(number_of_comm(comm));
        if (of.is_inter()) fail(ErrorClass::comm, "comm is an intercommunicator; give an intracommunicator");
        const std::vector<int>& ranks = of.group()->world_ranks();
        *size = of.size();
        std::copy_n(ranks.begin(), std::min(room, of.size()), world_ranks);
    });
}

const char* comm_create(const int* world_ranks, int n, int* comm)
{
    return words_of([&] {
        Process& process = required_process();
        const auto group = std::make_shared<const Group>(std::vector<int>(world_ranks, world_ranks + n));
        const CommunicatorPtr made = create_from_group_alone(process, *process.world, group, kCreationTag);
        if (made == nullptr) fail(ErrorClass::group, "the caller, rank {}, is not in the list", process.rank());
        *comm = fortran_for<MPI_Comm>(process.add(made));
    });
}

const char* comm_free(int* comm)
{
    return words_of([&] {
        required_process().remove_communicator(number_of_comm(*comm));
        *comm = fortran_for<MPI_Comm>(kCommNull);
    });
}

}  // namespace

const struct fmpl_mpi_services* fmpl_layer_mpi(void)
{
    static const struct fmpl_mpi_services services = {fortran_for<MPI_Comm>(kCommWorld),
        fortran_for<MPI_Comm>(kCommNull), is_up, init, finalize, is_comm, comm_world_ranks, comm_create, comm_free};
    return &services;
}
