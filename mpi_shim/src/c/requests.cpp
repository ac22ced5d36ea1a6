// MPI-3.1, section 3.7: completion of requests, one or many, and what else a request handle can be asked.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "c/completion.hpp"
#include "p2p/generalized_request.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace fmpl::mpi {
namespace {

constexpr int kNone = -1;

// The request of a handle that waits and tests have something to do with: nullptr for MPI_REQUEST_NULL and for inactive
// persistent requests.
Request* active_request(Process& process, MPI_Request handle, const char* argument = "request")
{
    if (handle == MPI_REQUEST_NULL) return nullptr;
    if (number_of(handle) == process.sent->handle) return process.sent.get();
    Request& request = process.request(number_of(handle), argument);
    return request.is_active() ? &request : nullptr;
}

// For calls that ask and do not wait.
bool is_complete_after_look(Process& process, Request& request)
{
    return process.messenger.test([&] { return request.operation().complete; });
}

// Of a request whose operation is complete: from here on its status says all.
void settle(Request& request)
{
    if (const int code = request.finish(); code != MPI_SUCCESS) [[unlikely]]
        request.status.error = code;
}

// The handle becomes null, but for a persistent request.
void release(Process& process, MPI_Request& handle, const Request& request)
{
    if (request.is_persistent()) return;
    process.remove_request(number_of(handle));
    handle = MPI_REQUEST_NULL;
}

// What a look over an array of requests finds, before anything is done with one of them.
struct Overview {
    int active = 0;
    int complete = 0;

    bool any_complete_or_none_active() const { return active == 0 || complete != 0; }
};
[[gnu::always_inline]] inline Overview overview(Process& process, int count, MPI_Request* requests)
{
    array_of(requests, count, "array_of_requests");
    Overview found;
    for (int i = 0; i < count; ++i) {
        Request* const request = active_request(process, requests[i], "a request of the array");
        if (request == nullptr) continue;
        ++found.active;
        if (request->operation().complete) ++found.complete;
    }
    return found;
}

// The requests of a call that finishes some; all handles are checked before anything is done with one of them.
class RequestList {
public:
    RequestList(Process& process, int count, MPI_Request* handles) : process_(process), handles_(handles)
    {
        array_of(handles, count, "array_of_requests");
        size_ = static_cast<std::size_t>(count);
        if (size_ > few_.size()) {
            many_ = std::make_unique_for_overwrite<Request*[]>(size_);
            requests_ = many_.get();
        } else {
            requests_ = few_.data();
        }
        Request** const requests = requests_;
        int active = 0, complete = kNone, incomplete = count;
        for (int i = count; i-- > 0;) {
            Request* const request = active_request(process, handles[i], "a request of the array");
            requests[i] = request;
            if (request == nullptr) continue;
            ++active;
            (request->operation().complete ? complete : incomplete) = i;
        }
        active_ = active;
        complete_at_first_ = complete;
        incomplete_at_first_ = incomplete;
    }
    RequestList(const RequestList&) = delete;
    RequestList& operator=(const RequestList&) = delete;

    int size() const { return static_cast<int>(size_); }
    int active() const { return active_; }
    bool is_active(int i) const { return requests_[i] != nullptr; }
    bool is_complete(int i) const { return requests_[i]->operation().complete; }
    Request& request(int i) const { return *requests_[i]; }
    Request& operation(int i) const { return requests_[i]->operation(); }

    // The first request that was complete when the list was made; kNone when there was none.
    int complete_at_first() const { return complete_at_first_; }
    // The first one that was not; size() when there was none.
    int incomplete_at_first() const { return incomplete_at_first_; }
    // The first complete one from `from` on; kNone when there is none.
    int first_complete(int from = 0) const
    {
        for (int i = from; i < size(); ++i) {
            if (is_active(i) && is_complete(i)) return i;
        }
        return kNone;
    }

    // Requires is_complete(i). Calls told(request), whose status says all, before the handle becomes null, or inactive
    // if it's persistent. Throws Error when the call's array has the same handle again, but for that of Process::sent.
    template <class Told>
    void finish(int i, Told&& told);

private:
    [[noreturn]] static void fail_given_twice(int i);

    Process& process_;
    MPI_Request* handles_;
    std::size_t size_ = 0;
    Request** requests_;
    int active_;
    int complete_at_first_;
    int incomplete_at_first_;
    std::array<Request*, 32> few_;
    std::unique_ptr<Request*[]> many_;
};

template <class Told>
[[gnu::always_inline]] inline void RequestList::finish(int i, Told&& told)
{
    Request& request = *std::exchange(requests_[i], nullptr);
    MPI_Request& handle = handles_[i];
    if (&request == process_.sent.get()) {
        told(request);
        handle = MPI_REQUEST_NULL;
        return;
    }
    auto* const found = process_.requests.find_entry(number_of(handle));
    if (found == nullptr || found->object.get() != &request || !request.is_active()) [[unlikely]]
        fail_given_twice(i);
    if (!request.is_plain()) [[unlikely]] {
        settle(request);  // perhaps by a function of the user's, which may add requests
        told(request);
        release(process_, handle, request);
        return;
    }
    told(request);
    process_.remove_request(*found);
    handle = MPI_REQUEST_NULL;
}

[[gnu::cold]] void RequestList::fail_given_twice(int i)
{
    fail(ErrorClass::request, "request {} of the array is there twice; give each request once", i);
}

// What a call that completes several requests tells of them: statuses for the user, and whether all went well.
class Outcome {
public:
    explicit Outcome(MPI_Status* statuses) : statuses_(statuses) {}

    // The status of request `index`, into the place `place` of the user's array.
    void add(int place, int index, const Request& finished)
    {
        give_at(place, finished.status);
        if (finished.status.error != 0) [[unlikely]]
            add_failed(index, finished);
    }
    void add_empty(int place) { give_at(place, Status::empty()); }

    // Throws Error (MPI_ERR_IN_STATUS) if a request failed.
    void check(HandleNumber& comm) const
    {
        if (failed_ == 0) return;
        comm = comm_of_first_;
        try {
            fail_operation(first_, words_of_first_);
        } catch (const Error& error) {
            fail(ErrorClass::in_status, "{} of the requests failed, the first of them request {}: {}", failed_,
                first_failed_, error.what());
        }
    }

private:
    void give_at(int place, const Status& status)
    {
        if (statuses_ == MPI_STATUSES_IGNORE) return;
        give(&statuses_[place], status);
        statuses_[place].MPI_ERROR = code_out(status.error);
    }

    void add_failed(int index, const Request& finished)
    {
        if (failed_++ != 0) return;
        first_failed_ = index;
        first_ = finished.status;
        if (finished.comm_handle != 0) comm_of_first_ = finished.comm_handle;
        words_of_first_ = finished.error_words();
    }

    MPI_Status* statuses_;
    int failed_ = 0;
    int first_failed_ = 0;
    Status first_ = Status::empty();
    HandleNumber comm_of_first_ = kCommNull;  // whose error handler hears of it
    std::string words_of_first_;
};

// Ends a call that completes one request. The status is not copied: it has just been written, in parts.
void finish_and_give(Process& process, MPI_Request& handle, Request& request, MPI_Status* to, HandleNumber& comm)
{
    settle(request);
    give(to, request.status);
    if (request.status.error == 0) [[likely]] {
        release(process, handle, request);
        return;
    }
    const Status status = request.status;
    const std::string words = request.error_words();
    if (request.comm_handle != 0) comm = request.comm_handle;
    release(process, handle, request);
    fail_operation(status, words);
}

void finish_all(RequestList& requests, MPI_Status* statuses, HandleNumber& comm)
{
    Outcome outcome(statuses);
    for (int i = 0; i < requests.size(); ++i) {
        if (requests.is_active(i)) {
            requests.finish(i, [&](const Request& finished) { outcome.add(i, i, finished); });
        } else {
            outcome.add_empty(i);
        }
    }
    outcome.check(comm);
}

void finish_some(RequestList& requests, int* outcount, int* indices, MPI_Status* statuses, HandleNumber& comm)
{
    int done = 0;
    for (int i = requests.first_complete(); i != kNone; i = requests.first_complete(i + 1)) indices[done++] = i;
    *outcount = done;
    Outcome outcome(statuses);
    for (int place = 0; place < done; ++place) {
        const int index = indices[place];
        requests.finish(index, [&](const Request& finished) { outcome.add(place, index, finished); });
    }
    outcome.check(comm);
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Wait(MPI_Request* request, MPI_Status* status)
{
    return call_then_on("MPI_Wait", [&](Process& process, HandleNumber& comm) {
        check_pointer(request, "request");
        Request* const active = active_request(process, *request);
        if (active == nullptr) {
            give(status, Status::empty());
            return;
        }
        Request& operation = active->operation();
        if (!operation.complete) process.messenger.wait(operation);
        finish_and_give(process, *request, *active, status, comm);
    });
}
FMPL_MPI_NAME(MPI_Wait)

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status)
{
    return call_then_on("MPI_Test", [&](Process& process, HandleNumber& comm) {
        check_pointer(request, "request");
        check_pointer(flag, "flag");
        Request* const active = active_request(process, *request);
        if (active == nullptr) {
            *flag = 1;
            give(status, Status::empty());
            return;
        }
        *flag = is_complete_after_look(process, *active);
        if (*flag) finish_and_give(process, *request, *active, status, comm);
    });
}
FMPL_MPI_NAME(MPI_Test)

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    return call_then_on("MPI_Waitall", [&](Process& process, HandleNumber& comm) {
        RequestList list(process, count, requests);
        // Waiting for one makes all progress, so each is waited for once.
        for (int i = list.incomplete_at_first(); i < list.size(); ++i) {
            if (list.is_active(i) && !list.is_complete(i)) process.messenger.wait(list.operation(i));
        }
        finish_all(list, statuses, comm);
    });
}
FMPL_MPI_NAME(MPI_Waitall)

int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[])
{
    return call_then_on("MPI_Testall", [&](Process& process, HandleNumber& comm) {
        check_pointer(flag, "flag");
        const auto all_complete = [&] {
            const Overview found = overview(process, count, requests);
            return found.complete == found.active;
        };
        *flag = process.messenger.test(all_complete);
        if (!*flag) return;
        RequestList list(process, count, requests);
        finish_all(list, statuses, comm);
    });
}
FMPL_MPI_NAME(MPI_Testall)

int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status)
{
    return call_then_on("MPI_Waitany", [&](Process& process, HandleNumber& comm) {
        check_pointer(index, "index");
        RequestList list(process, count, requests);
        if (list.active() == 0) {
            *index = MPI_UNDEFINED;
            give(status, Status::empty());
            return;
        }
        int found = list.complete_at_first();
        if (found == kNone)
            process.messenger.wait_with_progress([&] { return (found = list.first_complete()) != kNone; });
        *index = found;
        finish_and_give(process, requests[found], list.request(found), status, comm);
    });
}
FMPL_MPI_NAME(MPI_Waitany)

int PMPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status)
{
    return call_then_on("MPI_Testany", [&](Process& process, HandleNumber& comm) {
        check_pointer(index, "index");
        check_pointer(flag, "flag");
        const RequestList list(process, count, requests);
        *index = MPI_UNDEFINED;
        if (list.active() == 0) {
            *flag = 1;
            give(status, Status::empty());
            return;
        }
        int found = list.complete_at_first();
        if (found == kNone && !process.messenger.nothing_has_come()) {
            process.messenger.look([&] { return (found = list.first_complete()) != kNone; });
        }
        *flag = found != kNone;
        if (!*flag) return;
        *index = found;
        finish_and_give(process, requests[found], list.request(found), status, comm);
    });
}
FMPL_MPI_NAME(MPI_Testany)

int PMPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[])
{
    return call_then_on("MPI_Waitsome", [&](Process& process, HandleNumber& comm) {
        check_pointer(outcount, "outcount");
        RequestList list(process, incount, requests);
        if (list.active() == 0) {
            *outcount = MPI_UNDEFINED;
            return;
        }
        array_of(indices, incount, "array_of_indices");
        process.messenger.wait_with_progress([&] { return list.first_complete() != kNone; });
        finish_some(list, outcount, indices, statuses, comm);
    });
}
FMPL_MPI_NAME(MPI_Waitsome)

int PMPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[])
{
    return call_then_on("MPI_Testsome", [&](Process& process, HandleNumber& comm) {
        check_pointer(outcount, "outcount");
        Overview found;
        const bool is_over = process.messenger.test([&] {
            found = overview(process, incount, requests);
            return found.any_complete_or_none_active();
        });
        if (found.active == 0) {
            *outcount = MPI_UNDEFINED;
            return;
        }
        array_of(indices, incount, "array_of_indices");
        *outcount = 0;
        if (!is_over) return;
        RequestList list(process, incount, requests);
        finish_some(list, outcount, indices, statuses, comm);
    });
}
FMPL_MPI_NAME(MPI_Testsome)

int PMPI_Request_free(MPI_Request* request)
{
    return call("MPI_Request_free", [&](Process& process) {
        check_pointer(request, "request");
        Request& freed = process.request(number_of(*request));
        const RequestRef keep(&freed);
        if (dynamic_cast<const ActiveRequest*>(&freed) != nullptr) {
            fail(ErrorClass::request,
                "request is of a collective operation, which cannot be freed; wait for it");  // section 5.12
        }
        // A generalized request stays known by its handle: to MPI_Grequest_complete when the user has not completed it,
        // and to its free function.
        const auto* const generalized = dynamic_cast<const GeneralizedRequest*>(&freed);
        const bool needs_handle = generalized != nullptr && !freed.complete;
        const MPI_Request handle = std::exchange(*request, MPI_REQUEST_NULL);
        const int code = freed.is_active() ? freed.abandon() : MPI_SUCCESS;
        if (!needs_handle) process.remove_request(number_of(handle));
        if (code != MPI_SUCCESS) throw Error(code, freed.error_words());
    });
}
FMPL_MPI_NAME(MPI_Request_free)

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status)
{
    return call_then_on("MPI_Request_get_status", [&](Process& process, HandleNumber& comm) {
        check_pointer(flag, "flag");
        Request* const active = active_request(process, request);
        *flag = 1;
        if (active == nullptr) {
            give(status, Status::empty());
            return;
        }
        *flag = is_complete_after_look(process, *active);
        if (!*flag) return;
        Request& operation = active->operation();
        if (active->comm_handle != 0) comm = active->comm_handle;
        if (auto* const generalized = dynamic_cast<GeneralizedRequest*>(&operation)) {
            operation.status.error = generalized->query();
        }
        give(status, operation.status);
        if (operation.status.error != 0) [[unlikely]]
            fail_operation(operation.status, operation.error_words());
    });
}
FMPL_MPI_NAME(MPI_Request_get_status)

int PMPI_Cancel(MPI_Request* request)
{
    return call("MPI_Cancel", [&](Process& process) {
        check_pointer(request, "request");
        // Held: the cancel function of a generalized request that was freed may complete it, which ends it.
        const RequestRef cancelled(&process.request(number_of(*request)));
        cancelled->cancel(process.messenger);
    });
}
FMPL_MPI_NAME(MPI_Cancel)
