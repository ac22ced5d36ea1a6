// Communicators and intercommunicators (MPI-3.1, sections 6.4 and 6.6, and what there is of 10.5).
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "group/attributes.hpp"
#include "comm/creation.hpp"
#include "environment/info.hpp"

#include <algorithm>

using namespace fmpl::mpi;

namespace {

HandleNumber add_or_null(Process& process, const CommunicatorPtr& made)
{
    return made == nullptr ? kCommNull : process.add(made);
}

HandleNumber add_or_null(Process&, HandleNumber added)
{
    return added;
}

// A call that makes a communicator from one: body(process, comm) gives the new one, null for MPI_COMM_NULL, as after
// an error, or its handle when it has one already.
template <class Body>
int make_from(const char* name, MPI_Comm comm, MPI_Comm* newcomm, Body&& body, const char* comm_argument = "comm",
    const char* new_argument = "newcomm")
{
    return call_on(name, comm, [&](Process& process) {
        const CommunicatorPtr from =
            process.communicator(number_of(comm), comm_argument);  // held: the user's functions may free it
        check_pointer(newcomm, new_argument);
        *newcomm = MPI_COMM_NULL;
        *newcomm = handle_for<MPI_Comm>(add_or_null(process, body(process, from)));
    });
}

// A call that asks one thing of a communicator: find(process, comm) gives it.
template <class Value, class Find>
int ask(const char* name, MPI_Comm comm, Value* value, const char* argument, Find&& find)
{
    return call_on(name, comm, [&](Process& process) {
        const CommunicatorPtr& of = process.communicator(number_of(comm));
        check_pointer(value, argument);
        *value = find(process, *of);
    });
}

void check_intra(const Communicator& comm, const char* argument)
{
    if (comm.is_inter()) {
        fail(ErrorClass::comm, "{} is an intercommunicator; give an intracommunicator (MPI_Intercomm_merge makes one)",
            argument);
    }
}

void check_inter(const Communicator& comm, const char* argument)
{
    if (!comm.is_inter()) {
        fail(ErrorClass::comm, "{} is an intracommunicator; give an intercommunicator (MPI_Intercomm_create makes one)",
            argument);
    }
}

void check_color(int color)
{
    if (color < 0 && color != kUndefined) {
        fail(ErrorClass::argument, "color = {} is negative; give 0 or more, or MPI_UNDEFINED for no new communicator",
            color);
    }
}

void check_member(const Communicator& comm, int rank, const char* argument)
{
    if (rank < 0 || rank >= comm.peers().size()) {
        fail(ErrorClass::rank, "{} = {} is not a rank of the communicator; it has {}", argument, rank,
            comm.peers().size());
    }
}

// settled: when everything under way on it is over.
int free_communicator(const char* name, MPI_Comm* comm, bool settled)
{
    return call_on(name, comm == nullptr ? MPI_Comm{MPI_COMM_NULL} : *comm, [&](Process& process) {
        check_pointer(comm, "comm");
        const HandleNumber handle = number_of(*comm);
        const CommunicatorPtr freed = process.communicator(handle);
        if (settled && freed != process.world && freed != process.self) process.messenger.settle(*freed);
        process.remove_communicator(handle);
        *comm = MPI_COMM_NULL;
    });
}

// The handle of a duplicate, which gets its attributes; it is taken first, so that the user's copy functions, which
// may make communicators, do not take what the other members count on.
HandleNumber add_duplicate(Process& process, const Communicator& of, const CommunicatorPtr& made)
{
    const HandleNumber handle = process.add(made);
    try {
        made->attributes = copied(of.attributes, of.handle);
    } catch (...) {
        process.communicators.remove(handle);
        throw;
    }
    return handle;
}

HandleNumber duplicate_of(Process& process, const CommunicatorPtr& comm)
{
    return add_duplicate(process, *comm, duplicate(process, comm));
}

}  // namespace

int PMPI_Comm_size(MPI_Comm comm, int* size)
{
    return ask("MPI_Comm_size", comm, size, "size", [](Process&, const Communicator& of) { return of.size(); });
}
FMPL_MPI_NAME(MPI_Comm_size)

int PMPI_Comm_rank(MPI_Comm comm, int* rank)
{
    return ask("MPI_Comm_rank", comm, rank, "rank", [](Process&, const Communicator& of) { return of.rank(); });
}
FMPL_MPI_NAME(MPI_Comm_rank)

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result)
{
    return call_on("MPI_Comm_compare", comm1, [&](Process& process) {
        const Communicator& a = *process.communicator(number_of(comm1), "comm1");
        const Communicator& b = *process.communicator(number_of(comm2), "comm2");
        check_pointer(result, "result");
        if (&a == &b) {
            *result = comparison_out(kIdent);
        } else if (a.is_inter() != b.is_inter()) {
            *result = comparison_out(kUnequal);
        } else {
            int found = compare(*a.group(), *b.group());
            if (a.is_inter()) found = std::max(found, compare(*a.remote_group(), *b.remote_group()));
            *result = comparison_out(found == kIdent ? kCongruent : found);
        }
    });
}
FMPL_MPI_NAME(MPI_Comm_compare)

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group)
{
    return ask("MPI_Comm_group", comm, group, "group",
        [](Process& process, const Communicator& of) { return handle_for<MPI_Group>(process.add(of.group())); });
}
FMPL_MPI_NAME(MPI_Comm_group)

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm)
{
    return make_from("MPI_Comm_dup", comm, newcomm,
        [](Process& process, const CommunicatorPtr& from) { return duplicate_of(process, from); });
}
FMPL_MPI_NAME(MPI_Comm_dup)

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm)
{
    return make_from("MPI_Comm_dup_with_info", comm, newcomm, [&](Process& process, const CommunicatorPtr& from) {
        check_hints(process.environment, number_of(info));
        return duplicate_of(process, from);
    });
}
FMPL_MPI_NAME(MPI_Comm_dup_with_info)

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request)
{
    return call_on("MPI_Comm_idup", comm, [&](Process& process) {
        const CommunicatorPtr from = process.communicator(number_of(comm));
        check_pointer(newcomm, "newcomm");
        check_pointer(request, "request");
        *newcomm = MPI_COMM_NULL;
        const Duplicate started = start_duplicate(process, from);
        *newcomm = handle_for<MPI_Comm>(add_duplicate(process, *from, started.made));
        *request = handle_for<MPI_Request>(process.add(RequestRef(started.request)));
    });
}
FMPL_MPI_NAME(MPI_Comm_idup)

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)
{
    return make_from("MPI_Comm_create", comm, newcomm, [&](Process& process, const CommunicatorPtr& from) {
        const GroupPtr members = process.group(number_of(group));
        return create_from_group(process, *from, members);
    });
}
FMPL_MPI_NAME(MPI_Comm_create)

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm)
{
    return make_from("MPI_Comm_create_group", comm, newcomm, [&](Process& process, const CommunicatorPtr& from) {
        check_intra(*from, "comm");
        const GroupPtr members = process.group(number_of(group));
        check_send_tag(tag);
        return create_from_group_alone(process, *from, members, tag);
    });
}
FMPL_MPI_NAME(MPI_Comm_create_group)

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm)
{
    return make_from("MPI_Comm_split", comm, newcomm, [&](Process& process, const CommunicatorPtr& from) {
        check_color(color);
        return split(process, *from, color, key);
    });
}
FMPL_MPI_NAME(MPI_Comm_split)

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm)
{
    return make_from("MPI_Comm_split_type", comm, newcomm, [&](Process& process, const CommunicatorPtr& from) {
        check_intra(*from, "comm");
        if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED) {
            fail(ErrorClass::argument, "split_type = {} is unknown; give MPI_COMM_TYPE_SHARED or MPI_UNDEFINED",
                split_type);
        }
        check_hints(process.environment, number_of(info));
        // All ranks of a job are on one host.
        return split(process, *from, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : 0, key);
    });
}
FMPL_MPI_NAME(MPI_Comm_split_type)

int PMPI_Comm_free(MPI_Comm* comm)
{
    return free_communicator("MPI_Comm_free", comm, false);
}
FMPL_MPI_NAME(MPI_Comm_free)

int PMPI_Comm_disconnect(MPI_Comm* comm)
{
    return free_communicator("MPI_Comm_disconnect", comm, true);
}
FMPL_MPI_NAME(MPI_Comm_disconnect)

int PMPI_Comm_get_parent(MPI_Comm* parent)
{
    return call("MPI_Comm_get_parent", [&](Process& process) {
        check_pointer(parent, "parent");
        *parent = handle_for<MPI_Comm>(process.parent == nullptr ? kCommNull : process.parent->handle);
    });
}
FMPL_MPI_NAME(MPI_Comm_get_parent)

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    return call_on("MPI_Comm_set_info", comm, [&](Process& process) {
        process.communicator(number_of(comm));
        info_of(process.environment, number_of(info));
    });
}
FMPL_MPI_NAME(MPI_Comm_set_info)

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used)
{
    // Those in use: there are none (environment/info.hpp).
    return ask("MPI_Comm_get_info", comm, info_used, "info_used", [](Process& process, const Communicator&) {
        return handle_for<MPI_Info>(add_info(process.environment, Info()));
    });
}
FMPL_MPI_NAME(MPI_Comm_get_info)

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag)
{
    return ask("MPI_Comm_test_inter", comm, flag, "flag",
        [](Process&, const Communicator& of) { return of.is_inter() ? 1 : 0; });
}
FMPL_MPI_NAME(MPI_Comm_test_inter)

int PMPI_Comm_remote_size(MPI_Comm comm, int* size)
{
    return ask("MPI_Comm_remote_size", comm, size, "size", [](Process&, const Communicator& of) {
        check_inter(of, "comm");
        return of.remote_group()->size();
    });
}
FMPL_MPI_NAME(MPI_Comm_remote_size)

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group)
{
    return ask("MPI_Comm_remote_group", comm, group, "group", [](Process& process, const Communicator& of) {
        check_inter(of, "comm");
        return handle_for<MPI_Group>(process.add(of.remote_group()));
    });
}
FMPL_MPI_NAME(MPI_Comm_remote_group)

int PMPI_Intercomm_create(
    MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newintercomm)
{
    return make_from(
        "MPI_Intercomm_create", local_comm, newintercomm,
        [&](Process& process, const CommunicatorPtr& local) {
            check_intra(*local, "local_comm");
            check_member(*local, local_leader, "local_leader");
            check_send_tag(tag);
            // peer_comm and remote_leader mean something on the leader alone.
            const auto find_peer = [&] {
                const CommunicatorPtr peer = process.communicator(number_of(peer_comm), "peer_comm");
                check_member(*peer, remote_leader, "remote_leader");
                return RemoteLeader{peer, remote_leader};
            };
            return create_intercommunicator(process, *local, local_leader, find_peer, tag);
        },
        "local_comm", "newintercomm");
}
FMPL_MPI_NAME(MPI_Intercomm_create)

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm)
{
    return make_from(
        "MPI_Intercomm_merge", intercomm, newintracomm,
        [&](Process& process, const CommunicatorPtr& from) {
            check_inter(*from, "intercomm");
            return merge(process, *from, high != 0);
        },
        "intercomm", "newintracomm");
}
FMPL_MPI_NAME(MPI_Intercomm_merge)
