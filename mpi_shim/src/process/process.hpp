// One rank of an MPI job: everything that it owns. Nothing mutable lives outside such an object; which one the calling
// rank's is, FMPL knows (abi/current.hpp). One thread at a time uses it; of several, their turns say which
// (messenger/thread_turns.hpp).
#pragma once

#include "coll/collective_state.hpp"
#include "coll/operation.hpp"
#include "environment/environment.hpp"
#include "environment/errhandler.hpp"
#include "group/communicator.hpp"
#include "group/context_numbers.hpp"
#include "handles/handles.hpp"
#include "handles/type_table.hpp"
#include "messenger/buffered_sends.hpp"
#include "messenger/messenger.hpp"
#include "messenger/probed_message.hpp"
#include "messenger/thread_turns.hpp"
#include "p2p/request.hpp"
#include "process/window.hpp"

#include <fmpl/observe.h>

#include <array>
#include <map>
#include <memory>
#include <thread>

namespace fmpl::mpi {

class Keyval;

class Process {
public:
    using Requests = HandleTable<RequestRef, HandleKind::request, 22>;

    // MPI_Init: joins the job; blocks until all ranks join. Throws Error.
    explicit Process(int thread_level);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // MPI_Finalize: the attributes of MPI_COMM_SELF are deleted, what is under way is completed, the job is left.
    void leave();

    int rank() const { return world->rank(); }
    int thread_level() const { return environment.thread_level; }
    std::thread::id main_thread() const { return main_thread_; }

    // What handles stand for. Each throws Error with the class of its kind, and words that begin with `argument`,
    // when the handle is null or stands for nothing.
    const CommunicatorPtr& communicator(HandleNumber handle, const char* argument = "comm")
    {
        if (handle == kCommWorld) return world;
        if (CommunicatorPtr* found = communicators.find(handle)) [[likely]]
            return *found;
        return rare_communicator(handle, argument);
    }
    const TypeObjectPtr& type(HandleNumber handle, const char* argument = "datatype")
    {
        if (const int slot = builtin_type_slot(handle); slot >= 0 && builtin_types[static_cast<std::size_t>(slot)])
            [[likely]]
            return builtin_types[static_cast<std::size_t>(slot)];
        if (TypeObjectPtr* found = types.find(handle)) return *found;
        bad_type(handle, argument);
    }
    // That may be used in communication: committed.
    const TypeObjectPtr& committed_type_object(HandleNumber handle, const char* argument = "datatype")
    {
        const TypeObjectPtr& found = type(handle, argument);
        if (found->layout == nullptr) [[unlikely]]
            not_committed(argument);
        return found;
    }
    const TypeObject& committed_type(HandleNumber handle, const char* argument = "datatype")
    {
        return *committed_type_object(handle, argument);
    }
    const GroupPtr& group(HandleNumber handle, const char* argument = "group");
    const OperationPtr& operation(HandleNumber handle, const char* argument = "op");
    const ErrhandlerPtr& errhandler(HandleNumber handle, const char* argument = "errhandler");
    const WindowPtr& window(HandleNumber handle, const char* argument = "win");
    Request& request(HandleNumber handle, const char* argument = "request")
    {
        if (RequestRef* const found = requests.find(handle)) [[likely]]
            return **found;
        no_request(handle, argument);
    }

    // Handles for new objects.
    HandleNumber add(const CommunicatorPtr& comm);  // sets comm->handle
    HandleNumber add(const GroupPtr& group);        // MPI_GROUP_EMPTY for a group without members
    HandleNumber add(const TypeObjectPtr& type);
    HandleNumber add(const OperationPtr& operation);
    HandleNumber add(RequestRef request)  // sets its handle
    {
        int* const named = &request->handle;
        const int handle = requests.add(std::move(request), named);
        return handle != 0 ? handle : checked_handle(0, ErrorClass::request, "requests");
    }
    // The handle is free from now on; the functions of its attributes are called first. Throws Error for
    // MPI_COMM_WORLD and MPI_COMM_SELF too.
    void remove_communicator(HandleNumber handle);
    // The request's handle is free from now on, unless it is that of `sent`; what is under way goes on.
    void remove_request(HandleNumber handle)
    {
        if (handle == sent->handle) return;
        remove_request(*requests.find_entry(handle));
    }
    // Of one that is not `sent`.
    void remove_request(Requests::Entry& entry)
    {
        const RequestRef last = requests.remove(entry);
        last->handle = kRequestNull;
    }

    HandleTable<std::shared_ptr<Keyval>, HandleKind::keyval> keyvals;  // outlives all that has attributes
    TypeTable types;                                                   // outlives `collective`, which uses it
    CollectiveState collective;                                        // outlives requests of collective operations

    CommunicatorPtr world;
    CommunicatorPtr self;
    CommunicatorPtr parent;  // null: the job was started by fmplrun

    ContextNumbers contexts;
    // Points to what is not 0 while the rank is observed (fmplrun --stats, --trace).
    const int* observed = fmpl_layer_observed();
    // Of the rank's threads; null below MPI_THREAD_MULTIPLE.
    std::shared_ptr<ThreadTurns> turns;
    Messenger messenger;

    HandleTable<CommunicatorPtr, HandleKind::communicator> communicators;
    HandleTable<GroupPtr, HandleKind::group> groups;
    HandleTable<OperationPtr, HandleKind::operation> operations;
    HandleTable<WindowPtr, HandleKind::window> windows;
    ErrhandlerTable errhandlers;
    Requests requests;
    // The one request of all nonblocking sends that were over when their call returned. Its handle is never free.
    RequestRef sent;
    HandleTable<ProbedMessage, HandleKind::message> messages;

    BuiltinTypes builtin_types;
    std::array<OperationPtr, kPredefinedOperations + 1> builtin_operations;
    // What MPI_Type_create_f90_real, _complex, _integer have given, by combiner, precision and range.
    std::map<std::array<int, 3>, HandleNumber> f90_types;
    ErrhandlerPtr errors_are_fatal;
    ErrhandlerPtr errors_return;
    ErrhandlerPtr errors_abort;
    ErrhandlerPtr file_errhandler;  // of MPI_FILE_NULL (section 13.7)
    GroupPtr empty_group;

    AttachedBuffer buffered_sends;  // null: no buffer attached

    Environment environment;

private:
    void set_thread_level(int wanted);
    const CommunicatorPtr& rare_communicator(HandleNumber handle, const char* argument);
    [[noreturn]] static void bad_type(HandleNumber handle, const char* argument);
    [[noreturn]] static void not_committed(const char* argument);
    [[noreturn]] static void no_request(HandleNumber handle, const char* argument);

    std::thread::id main_thread_;
};

}  // namespace fmpl::mpi
