#include "process/process.hpp"

#include "group/attributes.hpp"
#include "p2p/ways/channels.hpp"
#include "p2p/fmpl_call.hpp"
#include "p2p/settings.hpp"

#include <fmpl/job.h>
#include <fmpl/layer_calls.h>
#include <fmpl/observe.h>

#include <numeric>

namespace fmpl::mpi {
namespace {

// Joins the job before what needs it is made.
int joined_world_rank()
{
    int initialized = 0;
    fmpl_initialized(&initialized);
    if (initialized != 0) {
        fail(ErrorClass::other,
            "FMPL is up already, started by the program (fmpl_init), or by a BLACS that found no MPI of FMPL's in the "
            "process; call MPI_Init first, and have MPI among the libraries of the program from its start");
    }
    fmpl_layer_speaks(FMPL_SPEAKS_MPI);
    check_fmpl(fmpl_init(nullptr, nullptr, kIndices));
    // Until the end of Process's constructor: what it does is MPI_Init's, in statistics, too.
    if (*fmpl_layer_observed() != 0) fmpl_layer_call_begin("MPI_Init");
    return fmpl_job_rank();
}

GroupPtr group_of_all()
{
    std::vector<int> ranks(static_cast<std::size_t>(fmpl_job_size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return std::make_shared<const Group>(std::move(ranks));
}

}  // namespace

Process::Process(int thread_level)
    : collective(types),
      contexts(joined_world_rank()),
      messenger(fmpl_job_size(), fmpl_job_rank()),
      main_thread_(std::this_thread::get_id())
{
    errors_are_fatal = std::make_shared<Errhandler>(Errhandler::Kind::fatal);
    errors_are_fatal->handle = kErrorsAreFatal;
    errors_return = std::make_shared<Errhandler>(Errhandler::Kind::returns);
    errors_return->handle = kErrorsReturn;
    errors_abort = std::make_shared<Errhandler>(Errhandler::Kind::fatal);
    errors_abort->handle = kErrorsAbort;
    file_errhandler = errors_return;
    empty_group = std::make_shared<const Group>(std::vector<int>());
    for (int number = 1; number <= kPredefinedOperations; ++number) {
        builtin_operations[static_cast<std::size_t>(number)] = std::make_shared<const Operation>(number);
    }
    add_predefined_types(builtin_types, types);
    sent = RequestRef(new Request);
    sent->complete = true;
    add(sent);
    set_thread_level(thread_level);

    const int rank = messenger.world_rank();
    world = std::make_shared<Communicator>(ContextNumbers::kWorld, rank, group_of_all());
    world->handle = kCommWorld;
    world->name = "MPI_COMM_WORLD";
    world->errhandler = errors_are_fatal;
    collective.job = world->group();
    self = std::make_shared<Communicator>(contexts.self(), 0, std::make_shared<const Group>(std::vector<int>{rank}));
    self->handle = kCommSelf;
    self->name = "MPI_COMM_SELF";
    self->errhandler = errors_are_fatal;
    if (*observed != 0) fmpl_layer_call_end(1);
}

// Other threads of a process that several ranks share belong to none of them.
void Process::set_thread_level(int wanted)
{
    const int most = fmpl_rank_is_thread() != 0 ? kThreadSerialized : kThreadMultiple;
    environment.thread_level = std::min(wanted, most);
    if (environment.thread_level == kThreadMultiple) {
        turns = std::make_shared<ThreadTurns>();
        messenger.let_in_threads(*turns);
    }
    // FMPL's own collective calls let nobody in, so that none may be made where a rank has several threads.
    std::int32_t highest = environment.thread_level;
    check_fmpl(fmpl_allreduce(&highest, 1, FMPL_MAX_INT32, FMPL_COMM_WORLD, nullptr));
    if (highest == kThreadMultiple) collective.form = CollectiveForm::schedule;
}

Process::~Process() = default;

void Process::leave()
{
    clear(self->attributes, kCommSelf);
    messenger.close();
    collective.leave();
    // What of FMPL's messages was never received, as long ones may be, is said by FMPL itself; the job has been left
    // all the same.
    if (const int code = fmpl_finalize(); code != FMPL_ERR_PENDING) check_fmpl(code);
}

const CommunicatorPtr& Process::rare_communicator(HandleNumber handle, const char* argument)
{
    if (handle == kCommSelf) return self;
    if (handle == kCommNull) fail(ErrorClass::comm, "{} is MPI_COMM_NULL; give a communicator", argument);
    fail(ErrorClass::comm, "{} is no communicator, or one that was freed", argument);
}

void Process::bad_type(HandleNumber handle, const char* argument)
{
    if (handle == kDatatypeNull) fail(ErrorClass::type, "{} is MPI_DATATYPE_NULL; give a data type", argument);
    fail(ErrorClass::type, "{} is no data type, or one that was freed", argument);
}

void Process::not_committed(const char* argument)
{
    fail(ErrorClass::type, "{} is not committed; call MPI_Type_commit before it is used in communication", argument);
}

const GroupPtr& Process::group(HandleNumber handle, const char* argument)
{
    if (handle == kGroupEmpty) return empty_group;
    if (GroupPtr* const found = groups.find(handle)) return *found;
    if (handle == kGroupNull) fail(ErrorClass::group, "{} is MPI_GROUP_NULL; give a group", argument);
    fail(ErrorClass::group, "{} is no group, or one that was freed", argument);
}

const OperationPtr& Process::operation(HandleNumber handle, const char* argument)
{
    if (const int number = predefined_operation(handle); number != 0) {
        return builtin_operations[static_cast<std::size_t>(number)];
    }
    if (OperationPtr* const found = operations.find(handle)) return *found;
    if (handle == kOpNull) fail(ErrorClass::op, "{} is MPI_OP_NULL; give an operation", argument);
    fail(ErrorClass::op, "{} is no operation, or one that was freed", argument);
}

const ErrhandlerPtr& Process::errhandler(HandleNumber handle, const char* argument)
{
    for (const ErrhandlerPtr* const predefined : {&errors_are_fatal, &errors_return, &errors_abort}) {
        if ((*predefined)->handle == handle) return *predefined;
    }
    if (ErrhandlerPtr* const found = errhandlers.find(handle)) return *found;
    if (handle == kErrhandlerNull)
        fail(ErrorClass::argument, "{} is MPI_ERRHANDLER_NULL; give an error handler", argument);
    fail(ErrorClass::argument, "{} is no error handler, or one that was freed", argument);
}

const WindowPtr& Process::window(HandleNumber handle, const char* argument)
{
    if (WindowPtr* const found = windows.find(handle)) return *found;
    if (handle == kWinNull) fail(ErrorClass::win, "{} is MPI_WIN_NULL; give a window", argument);
    fail(ErrorClass::win, "{} is no window, or one that was freed", argument);
}

void Process::no_request(HandleNumber handle, const char* argument)
{
    if (handle == kRequestNull) fail(ErrorClass::request, "{} is MPI_REQUEST_NULL; give a request", argument);
    fail(ErrorClass::request, "{} is no request, or one that was freed", argument);
}

HandleNumber Process::add(const CommunicatorPtr& comm)
{
    comm->handle = checked_handle(communicators.add(comm), ErrorClass::comm, "communicators");
    return comm->handle;
}

HandleNumber Process::add(const GroupPtr& group)
{
    if (group->size() == 0) return kGroupEmpty;
    return checked_handle(groups.add(group), ErrorClass::group, "groups");
}

HandleNumber Process::add(const TypeObjectPtr& type)
{
    return add_type(types, type);
}

HandleNumber Process::add(const OperationPtr& operation)
{
    return checked_handle(operations.add(operation), ErrorClass::other, "operations");
}

void Process::remove_communicator(HandleNumber handle)
{
    const CommunicatorPtr freed = communicator(handle);
    if (freed == world || freed == self) {
        fail(ErrorClass::comm, "comm is {}, which exists until MPI_Finalize and is not freed",
            freed == world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    }
    clear(freed->attributes, handle);
    if (communicators.find(handle) != nullptr) communicators.remove(handle);
}

}  // namespace fmpl::mpi
