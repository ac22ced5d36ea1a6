// The routines of Fortran that do more than pass their arguments on. Each is a template over the C function that it
// calls, MPI_X or PMPI_X, and gets the addresses that Fortran passes.
#pragma once

#include "abi/boundary.hpp"
#include "fortran/arguments.hpp"
#include "group/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace fmpl::mpi::fortran {

using mpi::Errhandler;  // for bindings.def

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
    if (process == nullptr || kIsFortrans<MPI_Datatype>) return {};  // the arrays are passed on as they are
    const InTurn turn(process->turns);
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

template <Errhandler::Of of>
void create_errhandler(void* errhandler_fn, MPI_Fint* errhandler, MPI_Fint* ierror)
{
    constexpr bool kOfFiles = of == Errhandler::Of::file, kOfWindows = of == Errhandler::Of::window;
    using Users = std::conditional_t<kOfFiles, MPI_File, std::conditional_t<kOfWindows, MPI_Win, MPI_Comm>>;
    const char* const name = kOfFiles     ? "MPI_File_create_errhandler"
                             : kOfWindows ? "MPI_Win_create_errhandler"
                                          : "MPI_Comm_create_errhandler";
    *ierror = call(name, [&](Process& process) {
        const auto function = reinterpret_cast<void (*)(MPI_Fint*, MPI_Fint*, ...)>(errhandler_fn);
        check_pointer(errhandler_fn, "errhandler_fn");
        const auto in_fortran = [function](HandleNumber object, int code) {
            MPI_Fint users = fortran_for<Users>(object);
            MPI_Fint users_code = code_out(code);
            function(&users, &users_code);
        };
        *errhandler = fortran_for<MPI_Errhandler>(add_errhandler(process.errhandlers, of, in_fortran));
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

// ---- Processes and names that they publish: several texts

// C's form of arrays of texts: addresses, the last one null.
class TextArray {
public:
    // `step`: how many texts further the next one lies. Ends with a text of blanks, or after `count` texts.
    TextArray(const char* first, std::size_t length, std::size_t step, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            const std::string text = Text(first + i * step * length, length).c();
            if (count == kTillBlank && text.empty()) break;
            texts_.push_back(text);
        }
        for (std::string& text : texts_) addresses_.push_back(text.data());
        addresses_.push_back(nullptr);
    }
    char** c() { return addresses_.data(); }

    static constexpr std::size_t kTillBlank = SIZE_MAX;

private:
    std::vector<std::string> texts_;
    std::vector<char*> addresses_;
};

inline int* errcodes_in_c(MPI_Fint* errcodes)
{
    return sentinel_of(errcodes) == Sentinel::errcodes_ignore ? MPI_ERRCODES_IGNORE : errcodes;
}

template <auto* function>
void spawn(const char* command, const char* argv, const MPI_Fint* maxprocs, const MPI_Fint* info, const MPI_Fint* root,
    const MPI_Fint* comm, MPI_Fint* intercomm, MPI_Fint* errcodes, MPI_Fint* ierror, std::size_t command_length,
    std::size_t argv_length)
{
    std::optional<TextArray> arguments;
    if (sentinel_of(argv) != Sentinel::argv_null) arguments.emplace(argv, argv_length, 1, TextArray::kTillBlank);
    *ierror = function(Text(command, command_length).c(), arguments ? arguments->c() : MPI_ARGV_NULL, *maxprocs,
        in_c<MPI_Info>(*info), *root, in_c<MPI_Comm>(*comm), HandleOut(intercomm).c(), errcodes_in_c(errcodes));
}

// The arguments of command i are argvs(i, 1), argvs(i, 2) ...
template <auto* function>
void spawn_multiple(const MPI_Fint* count, const char* commands, const char* argvs, const MPI_Fint* maxprocs,
    MPI_Fint* infos, const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* intercomm, MPI_Fint* errcodes,
    MPI_Fint* ierror, std::size_t command_length, std::size_t argv_length)
{
    const auto how_many = static_cast<std::size_t>(std::max(*count, 0));
    TextArray all_commands(commands, command_length, 1, how_many);
    std::vector<TextArray> arguments;
    if (sentinel_of(argvs) != Sentinel::argvs_null) {
        for (std::size_t i = 0; i < how_many; ++i) {
            arguments.emplace_back(argvs + i * argv_length, argv_length, how_many, TextArray::kTillBlank);
        }
    }
    std::vector<char**> all_arguments;
    for (TextArray& of_command : arguments) all_arguments.push_back(of_command.c());
    HandlesInC all_infos(infos, how_many);
    *ierror = function(*count, all_commands.c(), arguments.empty() ? MPI_ARGVS_NULL : all_arguments.data(), maxprocs,
        HandleArray{all_infos}, *root, in_c<MPI_Comm>(*comm), HandleOut(intercomm).c(), errcodes_in_c(errcodes));
}

// MPI_Publish_name, MPI_Unpublish_name.
template <auto* function>
void publish_name(const char* service_name, const MPI_Fint* info, const char* port_name, MPI_Fint* ierror,
    std::size_t service_length, std::size_t port_length)
{
    *ierror = function(Text(service_name, service_length).c(), in_c<MPI_Info>(*info), Text(port_name, port_length).c());
}

template <auto* function>
void lookup_name(const char* service_name, const MPI_Fint* info, char* port_name, MPI_Fint* ierror,
    std::size_t service_length, std::size_t port_length)
{
    *ierror =
        function(Text(service_name, service_length).c(), in_c<MPI_Info>(*info), TextOut(port_name, port_length).c());
}

// ---- Data representations of files

extern "C" void mpi_conversion_fn_null_(
    void* userbuf, MPI_Fint* datatype, MPI_Fint* count, void* filebuf, MPI_Offset* position, MPI_Aint*, MPI_Fint*);

// The functions of a data representation; the extra state of the C functions that call them. A representation stays, so
// this does.
struct DatarepFunctions {
    using Convert = decltype(mpi_conversion_fn_null_);
    using Extent = void(MPI_Fint* datatype, MPI_Aint* extent, MPI_Aint* extra_state, MPI_Fint* ierror);
    Convert* read;
    Convert* write;
    Extent* extent;
    MPI_Aint extra_state;

    template <Convert* DatarepFunctions::*which>
    static int convert_in_c(
        void* userbuf, MPI_Datatype datatype, int count, void* filebuf, MPI_Offset position, void* self)
    {
        auto* const functions = static_cast<DatarepFunctions*>(self);
        MPI_Fint users = in_fortran(datatype);
        MPI_Fint code = MPI_SUCCESS;
        (functions->*which)(userbuf, &users, &count, filebuf, &position, &functions->extra_state, &code);
        return code;
    }
    static int extent_in_c(MPI_Datatype datatype, MPI_Aint* extent, void* self)
    {
        auto* const functions = static_cast<DatarepFunctions*>(self);
        MPI_Fint users = in_fortran(datatype);
        MPI_Fint code = MPI_SUCCESS;
        functions->extent(&users, extent, &functions->extra_state, &code);
        return code;
    }
    template <Convert* DatarepFunctions::*which>
    MPI_Datarep_conversion_function* conversion() const
    {
        return this->*which == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : convert_in_c<which>;
    }
};

template <auto* function>
void register_datarep(const char* datarep, void* read_conversion_fn, void* write_conversion_fn, void* extent_fn,
    const MPI_Aint* extra_state, MPI_Fint* ierror, std::size_t datarep_length)
{
    using Functions = DatarepFunctions;
    std::unique_ptr<Functions> functions(new Functions{reinterpret_cast<Functions::Convert*>(read_conversion_fn),
        reinterpret_cast<Functions::Convert*>(write_conversion_fn), reinterpret_cast<Functions::Extent*>(extent_fn),
        *extra_state});
    *ierror = function(Text(datarep, datarep_length).c(), functions->conversion<&Functions::read>(),
        functions->conversion<&Functions::write>(), Functions::extent_in_c, functions.get());
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
