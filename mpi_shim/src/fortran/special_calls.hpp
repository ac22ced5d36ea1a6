// The routines of Fortran that do more than pass their arguments on. Each is a template over the C function that it
// calls, MPI_X or PMPI_X, and gets the addresses that Fortran passes.
#pragma once

#include "abi/boundary.hpp"
#include "fortran/arguments.hpp"
#include "group/topology.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace fmpl::mpi::fortran {

// ---- Start

template <auto* function>
void init(MPI_Fint* ierror)
{
    *ierror = function(nullptr, nullptr);
}

template <auto* function>
void init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror)
{
    *ierror = function(nullptr, nullptr, *required, provided);
}

// ---- Point-to-point communication

// The address of the buffer is not given back: in this form of the interface its argument has the wrong type, and is
// not used (MPI-3.1, section 3.6).
template <auto* function>
void buffer_detach(void*, MPI_Fint* size, MPI_Fint* ierror)
{
    void* address = nullptr;
    *ierror = function(&address, size);
}

// MPI_Waitsome, MPI_Testsome: Fortran's indices begin at 1.
template <auto* function>
void complete_some(const MPI_Fint* incount, MPI_Fint* requests, MPI_Fint* outcount, MPI_Fint* indices,
    MPI_Fint* statuses, MPI_Fint* ierror)
{
    int completed = MPI_UNDEFINED;
    HandlesInC all(requests, static_cast<std::size_t>(std::max(*incount, 0)));
    *ierror = function(*incount, HandleArray{all}, &completed, indices, Statuses(statuses).c());
    *outcount = completed;
    for (int i = 0; i < completed; ++i) ++indices[i];
}

// ---- Arrays of types whose length is not an argument

template <auto* function>
void get_contents(const MPI_Fint* datatype, const MPI_Fint* max_integers, const MPI_Fint* max_addresses,
    const MPI_Fint* max_datatypes, MPI_Fint* integers, MPI_Aint* addresses, MPI_Fint* datatypes, MPI_Fint* ierror)
{
    // No more than there are is written.
    int none = 0, there_are = 0, combiner = 0;
    const auto type = in_c<MPI_Datatype>(*datatype);
    if (PMPI_Type_get_envelope(type, &none, &none, &there_are, &combiner) != MPI_SUCCESS) there_are = 0;
    HandlesInC types(datatypes, static_cast<std::size_t>(std::clamp(*max_datatypes, 0, there_are)));
    *ierror = function(type, *max_integers, *max_addresses, *max_datatypes, integers, addresses, HandleArray{types});
}

// MPI_Alltoallw and its relatives: so many types each way as there are peers, or neighbours. request: none, or one.
template <auto* function, class Displacement, class... Request>
void exchange_of_types(std::size_t sends, std::size_t receives, void* sendbuf, const MPI_Fint* sendcounts,
    const Displacement* sdispls, MPI_Fint* sendtypes, void* recvbuf, const MPI_Fint* recvcounts,
    const Displacement* rdispls, MPI_Fint* recvtypes, const MPI_Fint* comm, MPI_Fint* ierror, Request&&... request)
{
    const void* const from = Buffer(sendbuf).c();
    HandlesInC sent(sendtypes, from == MPI_IN_PLACE ? 0 : sends);
    HandlesInC received(recvtypes, receives);
    *ierror = function(from, sendcounts, sdispls, HandleArray{sent}, Buffer(recvbuf).c(), recvcounts, rdispls,
        HandleArray{received}, in_c<MPI_Comm>(*comm), request.c()...);
}

struct Degrees {
    std::size_t sends = 0;
    std::size_t receives = 0;
};
// Nothing where the arguments are wrong, which the call itself will say.
inline Degrees degrees_of(const MPI_Fint* comm, To to) noexcept
try {
    Process* const process = find_process();
    if (process == nullptr) return {};
    const Communicator& on = *process->communicator(number_of_fortran<MPI_Comm>(*comm));
    if (to == To::all) {
        const auto peers = static_cast<std::size_t>(on.peers().size());
        return {peers, peers};
    }
    const Neighbours& neighbours = neighbours_of(on);
    return {neighbours.destinations.size(), neighbours.sources.size()};
} catch (...) {
    return {};
}

template <auto* function>
void alltoallw(void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls, MPI_Fint* sendtypes, void* recvbuf,
    const MPI_Fint* recvcounts, const MPI_Fint* rdispls, MPI_Fint* recvtypes, const MPI_Fint* comm, MPI_Fint* ierror)
{
    const auto [sends, receives] = degrees_of(comm, To::all);
    exchange_of_types<function>(sends, receives, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
        recvtypes, comm, ierror);
}
template <auto* function>
void ialltoallw(void* sendbuf, const MPI_Fint* sendcounts, const MPI_Fint* sdispls, MPI_Fint* sendtypes, void* recvbuf,
    const MPI_Fint* recvcounts, const MPI_Fint* rdispls, MPI_Fint* recvtypes, const MPI_Fint* comm, MPI_Fint* request,
    MPI_Fint* ierror)
{
    const auto [sends, receives] = degrees_of(comm, To::all);
    exchange_of_types<function>(sends, receives, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
        recvtypes, comm, ierror, HandleOut(request));
}
template <auto* function>
void neighbor_alltoallw(void* sendbuf, const MPI_Fint* sendcounts, const MPI_Aint* sdispls, MPI_Fint* sendtypes,
    void* recvbuf, const MPI_Fint* recvcounts, const MPI_Aint* rdispls, MPI_Fint* recvtypes, const MPI_Fint* comm,
    MPI_Fint* ierror)
{
    const auto [sends, receives] = degrees_of(comm, To::neighbours);
    exchange_of_types<function>(sends, receives, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
        recvtypes, comm, ierror);
}
template <auto* function>
void ineighbor_alltoallw(void* sendbuf, const MPI_Fint* sendcounts, const MPI_Aint* sdispls, MPI_Fint* sendtypes,
    void* recvbuf, const MPI_Fint* recvcounts, const MPI_Aint* rdispls, MPI_Fint* recvtypes, const MPI_Fint* comm,
    MPI_Fint* request, MPI_Fint* ierror)
{
    const auto [sends, receives] = degrees_of(comm, To::neighbours);
    exchange_of_types<function>(sends, receives, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
        recvtypes, comm, ierror, HandleOut(request));
}

// ---- The user's functions, which get Fortran's handles by address.

inline void op_create(void* user_fn, const MPI_Fint* commute, MPI_Fint* op, MPI_Fint* ierror)
{
    *ierror = call("MPI_Op_create", [&](Process& process) {
        const auto function = reinterpret_cast<void (*)(void*, void*, MPI_Fint*, MPI_Fint*)>(user_fn);
        check_pointer(user_fn, "user_fn");
        const auto in_fortran = [function](void* in, void* inout, int count, HandleNumber type) {
            MPI_Fint users = fortran_for<MPI_Datatype>(type);
            function(in, inout, &count, &users);
        };
        *op = fortran_for<MPI_Op>(process.add(std::make_shared<const Operation>(in_fortran, *commute != 0)));
    });
}

inline void create_errhandler(void* errhandler_fn, MPI_Fint* errhandler, MPI_Fint* ierror)
{
    *ierror = call("MPI_Comm_create_errhandler", [&](Process& process) {
        const auto function = reinterpret_cast<void (*)(MPI_Fint*, MPI_Fint*, ...)>(errhandler_fn);
        check_pointer(errhandler_fn, "errhandler_fn");
        *errhandler =
            fortran_for<MPI_Errhandler>(add_errhandler(process.errhandlers, [function](HandleNumber comm, int code) {
                MPI_Fint users = fortran_for<MPI_Comm>(comm);
                MPI_Fint users_code = code_out(code);
                function(&users, &users_code);
            }));
    });
}

// The functions of a generalized request; the extra state of the C functions that call them. Ends with the request.
struct GeneralizedRequestFunctions {
    void (*query)(MPI_Aint* extra_state, MPI_Fint* status, MPI_Fint* ierror);
    void (*free)(MPI_Aint* extra_state, MPI_Fint* ierror);
    void (*cancel)(MPI_Aint* extra_state, MPI_Fint* complete, MPI_Fint* ierror);
    MPI_Aint extra_state;

    static int query_in_c(void* self, MPI_Status* status)
    {
        auto* const functions = static_cast<GeneralizedRequestFunctions*>(self);
        MPI_Fint code = MPI_SUCCESS;
        functions->query(&functions->extra_state, reinterpret_cast<MPI_Fint*>(status), &code);
        return code;
    }
    static int free_in_c(void* self)
    {
        const std::unique_ptr<GeneralizedRequestFunctions> functions(static_cast<GeneralizedRequestFunctions*>(self));
        MPI_Fint code = MPI_SUCCESS;
        functions->free(&functions->extra_state, &code);
        return code;
    }
    static int cancel_in_c(void* self, int complete)
    {
        auto* const functions = static_cast<GeneralizedRequestFunctions*>(self);
        MPI_Fint code = MPI_SUCCESS;
        functions->cancel(&functions->extra_state, &complete, &code);
        return code;
    }
};

template <auto* function>
void grequest_start(
    void* query_fn, void* free_fn, void* cancel_fn, const MPI_Aint* extra_state, MPI_Fint* request, MPI_Fint* ierror)
{
    using Functions = GeneralizedRequestFunctions;
    std::unique_ptr<Functions> functions(new Functions{reinterpret_cast<decltype(Functions::query)>(query_fn),
        reinterpret_cast<decltype(Functions::free)>(free_fn), reinterpret_cast<decltype(Functions::cancel)>(cancel_fn),
        *extra_state});
    *ierror = function(
        Functions::query_in_c, Functions::free_in_c, Functions::cancel_in_c, functions.get(), HandleOut(request).c());
    if (*ierror == MPI_SUCCESS) functions.release();
}

// ---- Info objects: two texts

template <auto* function>
void info_set(const MPI_Fint* info, const char* key, const char* value, MPI_Fint* ierror, std::size_t key_length,
    std::size_t value_length)
{
    *ierror = function(in_c<MPI_Info>(*info), InfoText(key, key_length).c(), InfoText(value, value_length).c());
}

template <auto* function>
void info_get(const MPI_Fint* info, const char* key, const MPI_Fint* valuelen, char* value, MPI_Fint* flag,
    MPI_Fint* ierror, std::size_t key_length, std::size_t value_length)
{
    std::string text(static_cast<std::size_t>(std::max(*valuelen, 0)) + 1, '\0');
    *flag = 0;
    *ierror = function(in_c<MPI_Info>(*info), InfoText(key, key_length).c(), *valuelen, text.data(), flag);
    if (*ierror == MPI_SUCCESS && *flag != 0) give_text(value, value_length, text.c_str());
}

// ---- The deprecated routines, whose addresses are integers of the usual size

inline int give_small(const char* name, MPI_Aint value, MPI_Fint* to)
{
    *to = static_cast<MPI_Fint>(value);
    if (*to == value) return MPI_SUCCESS;
    return handle_error(name, kCommNull, code_of(ErrorClass::argument),
        "the result does not fit an INTEGER; use the routine of MPI-2 or later, which has INTEGER(MPI_ADDRESS_KIND)");
}

template <auto* function>
void old_address(void* location, MPI_Fint* address, MPI_Fint* ierror)
{
    MPI_Aint found = 0;
    *ierror = function(Buffer(location).c(), &found);
    if (*ierror == MPI_SUCCESS) *ierror = give_small("MPI_Address", found, address);
}

// MPI_Type_extent, _lb, _ub.
template <auto* function>
void old_bound(const MPI_Fint* datatype, MPI_Fint* bound, MPI_Fint* ierror)
{
    MPI_Aint found = 0;
    *ierror = function(in_c<MPI_Datatype>(*datatype), &found);
    if (*ierror == MPI_SUCCESS) *ierror = give_small("MPI_Type_extent, MPI_Type_lb or MPI_Type_ub", found, bound);
}

template <auto* function>
void old_hvector(const MPI_Fint* count, const MPI_Fint* blocklength, const MPI_Fint* stride, const MPI_Fint* oldtype,
    MPI_Fint* newtype, MPI_Fint* ierror)
{
    *ierror = function(*count, *blocklength, *stride, in_c<MPI_Datatype>(*oldtype), HandleOut(newtype).c());
}

inline std::vector<MPI_Aint> widened(const MPI_Fint* displacements, MPI_Fint count)
{
    return std::vector<MPI_Aint>(displacements, displacements + std::max(count, 0));
}

template <auto* function>
void old_hindexed(const MPI_Fint* count, const MPI_Fint* blocklengths, const MPI_Fint* displacements,
    const MPI_Fint* oldtype, MPI_Fint* newtype, MPI_Fint* ierror)
{
    *ierror = function(*count, blocklengths, widened(displacements, *count).data(), in_c<MPI_Datatype>(*oldtype),
        HandleOut(newtype).c());
}

template <auto* function>
void old_struct(const MPI_Fint* count, const MPI_Fint* blocklengths, const MPI_Fint* displacements, MPI_Fint* types,
    MPI_Fint* newtype, MPI_Fint* ierror)
{
    HandlesInC entries(types, static_cast<std::size_t>(std::max(*count, 0)));
    *ierror = function(
        *count, blocklengths, widened(displacements, *count).data(), HandleArray{entries}, HandleOut(newtype).c());
}

}  // namespace fmpl::mpi::fortran
