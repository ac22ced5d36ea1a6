// MPI-3.1, section 12.2: generalized requests, whose operations are the user's. When which of their functions is
// called, with what, and what becomes of the codes that those return.
#include "message.hpp"
#include "mpi_test.hpp"
#include "protocol_sizes.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

namespace mpi_test {
namespace {

constexpr int kTag = 121;

using Log = std::vector<std::string>;

// An operation of the user's: what its functions answer, and what they do besides. They note themselves in `log`.
struct Operation {
    Log* log = nullptr;
    std::string name = "a";
    int query_code = MPI_SUCCESS;
    int free_code = MPI_SUCCESS;
    int cancel_code = MPI_SUCCESS;
    int elements = 0;
    bool cancelled = false;
    MPI_Request request = MPI_REQUEST_NULL;  // a copy of the handle
    MPI_Request completed_by_query = MPI_REQUEST_NULL;
    bool completed_by_cancel = false;
    bool asked_by_free = false;  // free asks for the status, by the copy

    explicit Operation(Log& noted_in) : log(&noted_in) {}
    Operation(Log& noted_in, std::string called) : log(&noted_in), name(std::move(called)) {}

    MPI_Request start()
    {
        MPI_Grequest_start(&query, &free, &cancel, this, &request);
        return request;
    }
    void complete() const { MPI_Grequest_complete(request); }

private:
    static int query(void* extra_state, MPI_Status* status)
    {
        auto& self = *static_cast<Operation*>(extra_state);
        self.log->push_back("query " + self.name);
        EXPECT_NE(status, nullptr);
        EXPECT_NE(status, MPI_STATUS_IGNORE);
        status->MPI_SOURCE = 11;
        status->MPI_TAG = 12;
        MPI_Status_set_elements(status, MPI_INT, self.elements);
        MPI_Status_set_cancelled(status, self.cancelled ? 1 : 0);
        if (self.completed_by_query != MPI_REQUEST_NULL) MPI_Grequest_complete(self.completed_by_query);
        return self.query_code;
    }
    static int free(void* extra_state)
    {
        auto& self = *static_cast<Operation*>(extra_state);
        self.log->push_back("free " + self.name);
        if (self.asked_by_free) {
            int flag = 0;
            EXPECT_EQ(MPI_Request_get_status(self.request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
            EXPECT_NE(flag, 0);
        }
        return self.free_code;
    }
    static int cancel(void* extra_state, int complete)
    {
        auto& self = *static_cast<Operation*>(extra_state);
        self.log->push_back((complete != 0 ? "cancel complete " : "cancel incomplete ") + self.name);
        self.cancelled = complete == 0;
        if (self.completed_by_cancel) self.complete();
        return self.cancel_code;
    }
};

const Log kQueriedAndFreed = {"query a", "free a"};

enum class Call { wait, test, waitany, testany, waitall, testall, waitsome, testsome };
constexpr Call kCalls[] = {
    Call::wait, Call::test, Call::waitany, Call::testany, Call::waitall, Call::testall, Call::waitsome, Call::testsome};
constexpr const char* kNames[] = {
    "MPI_Wait", "MPI_Test", "MPI_Waitany", "MPI_Testany", "MPI_Waitall", "MPI_Testall", "MPI_Waitsome", "MPI_Testsome"};

const char* name_of(Call call)
{
    return kNames[static_cast<std::size_t>(call)];
}

bool gives_several(Call call)
{
    return call >= Call::waitall;
}

struct Finished {
    int code;
    MPI_Status status;
};

MPI_Status marked_status()
{
    MPI_Status status;
    std::memset(&status, 0x5a, sizeof status);
    return status;
}

// Finishes a request that is complete, between null requests where the call takes several.
Finished finish(Call call, MPI_Request& request, bool with_status = true)
{
    SCOPED_TRACE(name_of(call));
    MPI_Request array[] = {MPI_REQUEST_NULL, request, MPI_REQUEST_NULL};
    MPI_Status one = marked_status();
    MPI_Status several[] = {marked_status(), marked_status(), marked_status()};
    MPI_Status* const status = with_status ? &one : MPI_STATUS_IGNORE;
    MPI_Status* const statuses = with_status ? several : MPI_STATUSES_IGNORE;
    int flag = 1;
    int index = 1;
    int outcount = 1;
    int indices[3] = {1, -1, -1};
    int code = -1;
    switch (call) {
        case Call::wait:
            code = MPI_Wait(&array[1], status);
            break;
        case Call::test:
            code = MPI_Test(&array[1], &flag, status);
            break;
        case Call::waitany:
            code = MPI_Waitany(3, array, &index, status);
            break;
        case Call::testany:
            code = MPI_Testany(3, array, &index, &flag, status);
            break;
        case Call::waitall:
            code = MPI_Waitall(3, array, statuses);
            one = several[1];
            break;
        case Call::testall:
            code = MPI_Testall(3, array, &flag, statuses);
            one = several[1];
            break;
        case Call::waitsome:
            code = MPI_Waitsome(3, array, &outcount, indices, statuses);
            one = several[0];
            break;
        case Call::testsome:
            code = MPI_Testsome(3, array, &outcount, indices, statuses);
            one = several[0];
            break;
    }
    EXPECT_NE(flag, 0);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(outcount, 1);
    EXPECT_EQ(indices[0], 1);
    EXPECT_EQ(array[1], MPI_REQUEST_NULL);
    request = array[1];
    return {code, one};
}

MPI_TEST_AT(GeneralizedRequest, IsIncompleteUntilTheUserSaysOtherwiseAndNoFunctionIsCalled, ({1, 2}))
{
    Log log;
    Operation operation(log);
    MPI_Request request = operation.start();
    EXPECT_NE(request, MPI_REQUEST_NULL);
    const MPI_Request before = request;
    int flag = -1;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    flag = -1;
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    flag = -1;
    MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
    EXPECT_EQ(flag, 0);
    int index = -1;
    flag = -1;
    MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(index, MPI_UNDEFINED);
    int outcount = -1;
    MPI_Testsome(1, &request, &outcount, &index, MPI_STATUSES_IGNORE);
    EXPECT_EQ(outcount, 0);
    EXPECT_EQ(request, before);
    operation.complete();
    EXPECT_EQ(log, Log{}) << "MPI_Grequest_complete asks nothing; the call that completes the request does";
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(log, kQueriedAndFreed);
}

MPI_TEST_AT(GeneralizedRequest, EveryCompletionCallQueriesOnceThenFreesOnce, ({1, 2}))
{
    for (const Call call : kCalls) {
        for (const bool with_status : {true, false}) {
            SCOPED_TRACE(name_of(call));
            Log log;
            Operation operation(log);
            MPI_Request request = operation.start();
            operation.complete();
            finish(call, request, with_status);
            EXPECT_EQ(log, kQueriedAndFreed);
        }
    }
}

MPI_TEST_AT(GeneralizedRequest, TheStatusIsWhatTheQueryFunctionMadeIt, ({1, 2}))
{
    for (const Call call : kCalls) {
        for (const bool cancelled : {false, true}) {
            SCOPED_TRACE(name_of(call));
            Log log;
            Operation operation(log);
            operation.elements = 7;
            operation.cancelled = cancelled;
            MPI_Request request = operation.start();
            operation.complete();
            const MPI_Status status = finish(call, request).status;
            EXPECT_EQ(status.MPI_SOURCE, 11);
            EXPECT_EQ(status.MPI_TAG, 12);
            int count = -1;
            MPI_Get_count(&status, MPI_INT, &count);
            EXPECT_EQ(count, 7);
            int flag = -1;
            MPI_Test_cancelled(&status, &flag);
            EXPECT_EQ(flag != 0, cancelled);
            // Section 3.2.5: calls that return one status leave its error field.
            if (!gives_several(call) && !excepted("MPI_ERROR of a single status")) {
                EXPECT_EQ(status.MPI_ERROR, marked_status().MPI_ERROR);
            }
        }
    }
}

MPI_TEST_AT(GeneralizedRequest, RequestGetStatusQueriesEachTimeAndFreesNothing, ({1}))
{
    Log log;
    Operation operation(log);
    MPI_Request request = operation.start();
    operation.complete();
    for (const int elements : {3, 4}) {
        operation.elements = elements;
        int flag = 0;
        MPI_Status status;
        MPI_Request_get_status(request, &flag, &status);
        EXPECT_NE(flag, 0);
        int count = -1;
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, elements);
    }
    int flag = 0;
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    EXPECT_NE(flag, 0);
    EXPECT_EQ(log, (Log{"query a", "query a", "query a"}));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(log, (Log{"query a", "query a", "query a", "query a", "free a"}));
}

MPI_TEST_AT(GeneralizedRequest, TestallCallsNothingWhileOneIsIncomplete, ({1}))
{
    Log log;
    Operation a(log, "a");
    Operation b(log, "b");
    MPI_Request requests[] = {a.start(), b.start()};
    a.complete();
    int flag = -1;
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(requests[0], a.request);
    EXPECT_EQ(log, Log{});
    b.complete();
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    EXPECT_NE(flag, 0);
    EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
    EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
    // The order of the requests is not specified.
    EXPECT_LT(std::find(log.begin(), log.end(), "query a"), std::find(log.begin(), log.end(), "free a"));
    EXPECT_LT(std::find(log.begin(), log.end(), "query b"), std::find(log.begin(), log.end(), "free b"));
    std::sort(log.begin(), log.end());
    EXPECT_EQ(log, (Log{"free a", "free b", "query a", "query b"}));
}

MPI_TEST_AT(GeneralizedRequest, WaitallCompletesItTogetherWithMessages, ({1, 2, 4}))
{
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{10000}, std::size_t{300000}}) {
        Log log;
        Operation operation(log);
        operation.elements = 5;
        Message in(bytes);
        const Message out(bytes, static_cast<std::uint64_t>(rank()));
        MPI_Request requests[4] = {MPI_REQUEST_NULL, operation.start(), MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &requests[2]);
        operation.complete();
        MPI_Status statuses[4];
        MPI_Waitall(4, requests, statuses);
        EXPECT_TRUE(in.holds(static_cast<std::uint64_t>(left())));
        EXPECT_EQ(statuses[0].MPI_SOURCE, left());
        EXPECT_EQ(statuses[0].MPI_TAG, kTag);
        EXPECT_EQ(statuses[1].MPI_SOURCE, 11);
        int count = -1;
        MPI_Get_count(&statuses[1], MPI_INT, &count);
        EXPECT_EQ(count, 5);
        for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
        EXPECT_EQ(log, kQueriedAndFreed);
    }
}

MPI_TEST_AT(GeneralizedRequest, WaitanyFindsItAmongIncompleteOnesAndMessages, ({1, 2, 4}))
{
    Log log;
    Operation a(log, "a");
    Operation b(log, "b");
    int in = -1;
    MPI_Request requests[] = {a.start(), MPI_REQUEST_NULL, b.start()};
    MPI_Irecv(&in, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &requests[1]);
    b.complete();
    int index = -1;
    MPI_Status status;
    MPI_Waitany(3, requests, &index, &status);
    EXPECT_EQ(index, 2);
    EXPECT_EQ(status.MPI_SOURCE, 11);
    EXPECT_EQ(log, (Log{"query b", "free b"}));
    MPI_Barrier(MPI_COMM_WORLD);  // before it no message is sent, which might have been the one found
    const int out = rank();
    MPI_Send(&out, 1, MPI_INT, right(), kTag, MPI_COMM_WORLD);
    MPI_Waitany(3, requests, &index, &status);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(status.MPI_SOURCE, left());
    EXPECT_EQ(in, left());
    int flag = -1;
    MPI_Testany(3, requests, &index, &flag, &status);
    EXPECT_EQ(flag, 0);
    a.complete();
    MPI_Testany(3, requests, &index, &flag, &status);
    EXPECT_NE(flag, 0);
    EXPECT_EQ(index, 0);
    EXPECT_EQ(log, (Log{"query b", "free b", "query a", "free a"}));
}

MPI_TEST_AT(GeneralizedRequest, WaitsomeTakesThoseThatAreCompleteAndLeavesTheOthers, ({1, 2, 4}))
{
    Log log;
    Operation a(log, "a");
    Operation b(log, "b");
    const int out = rank();
    int in = -1;
    int later = -1;
    MPI_Request requests[] = {MPI_REQUEST_NULL, a.start(), MPI_REQUEST_NULL, b.start()};
    MPI_Irecv(&in, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&later, 1, MPI_INT, left(), kTag + 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(&out, 1, MPI_INT, right(), kTag, MPI_COMM_WORLD);
    for (int flag = 0; flag == 0;) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    b.complete();
    int outcount = -1;
    int indices[4] = {-1, -1, -1, -1};
    MPI_Status statuses[4];
    MPI_Waitsome(4, requests, &outcount, indices, statuses);
    REQUIRE(outcount == 2);
    const int of_b = indices[0] == 3 ? 0 : 1;
    EXPECT_EQ(indices[of_b], 3);
    EXPECT_EQ(indices[1 - of_b], 0);
    EXPECT_EQ(statuses[of_b].MPI_SOURCE, 11);
    EXPECT_EQ(statuses[1 - of_b].MPI_SOURCE, left());
    EXPECT_EQ(log, (Log{"query b", "free b"}));
    MPI_Testsome(4, requests, &outcount, indices, statuses);
    EXPECT_EQ(outcount, 0);
    a.complete();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&out, 1, MPI_INT, right(), kTag + 1, MPI_COMM_WORLD);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(later, left());
    EXPECT_EQ(log, (Log{"query b", "free b", "query a", "free a"}));
}

MPI_TEST_AT(GeneralizedRequest, AQueryFunctionMayCompleteAnotherOne, ({1}))
{
    Log log;
    Operation a(log, "a");
    Operation b(log, "b");
    MPI_Request requests[] = {a.start(), b.start()};
    a.completed_by_query = b.request;
    a.complete();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    EXPECT_EQ(log, (Log{"query a", "free a", "query b", "free b"}));
}

MPI_TEST_AT(GeneralizedRequest, FreedAfterItsCompletionItIsFreedThereAndNeverQueried, ({1}))
{
    Log log;
    Operation operation(log);
    MPI_Request request = operation.start();
    operation.complete();
    EXPECT_EQ(log, Log{});
    MPI_Request_free(&request);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(log, Log{"free a"});
}

MPI_TEST_AT(GeneralizedRequest, FreedBeforeItsCompletionItIsFreedByThat, ({1}))
{
    Log log;
    Operation operation(log);
    MPI_Request request = operation.start();
    MPI_Request_free(&request);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(log, Log{});
    operation.complete();  // by the copy of the handle, which is valid until then
    EXPECT_EQ(log, Log{"free a"});
}

// "User copies of this handle are valid until after free_fn completes since MPI does not deallocate the object until
// then."
MPI_TEST_AT(GeneralizedRequest, CopiesOfTheHandleAreValidUntilTheFreeFunctionHasReturned, ({1}))
{
    const Log freed_and_queried = {"free a", "query a"};
    for (const bool completed_first : {true, false}) {
        Log log;
        Operation operation(log);
        operation.asked_by_free = true;
        MPI_Request request = operation.start();
        if (completed_first) operation.complete();
        MPI_Request_free(&request);
        if (!completed_first) operation.complete();
        EXPECT_EQ(log, freed_and_queried);
        const ReturnErrors returned;
        if (!excepted("a handle that is no longer valid")) {
            int flag = 0;
            EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Request_get_status(operation.request, &flag, MPI_STATUS_IGNORE));
        }
    }
}

MPI_TEST_AT(GeneralizedRequest, CancelTellsItsFunctionWhetherTheOperationIsComplete, ({1}))
{
    for (const bool completed : {false, true}) {
        Log log;
        Operation operation(log);
        MPI_Request request = operation.start();
        if (completed) operation.complete();
        MPI_Cancel(&request);
        EXPECT_EQ(log, Log{completed ? "cancel complete a" : "cancel incomplete a"});
        EXPECT_NE(request, MPI_REQUEST_NULL) << "a cancelled request is still to be waited for";
        if (!completed) {
            int flag = -1;
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            EXPECT_EQ(flag, 0) << "to complete it is still the user's part";
            operation.complete();
        }
        MPI_Status status;
        MPI_Wait(&request, &status);
        int cancelled = -1;
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT_EQ(cancelled != 0, !completed);
        EXPECT_EQ(log.size(), 3U);
    }
}

MPI_TEST_AT(GeneralizedRequest, ACancelFunctionMayCompleteTheRequest, ({1}))
{
    for (const bool freed : {false, true}) {
        Log log;
        Operation operation(log);
        operation.completed_by_cancel = true;
        MPI_Request request = operation.start();
        MPI_Request copy = request;
        if (freed) MPI_Request_free(&request);
        MPI_Cancel(&copy);
        if (!freed) MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(log.back(), "free a");
        EXPECT_EQ(log.size(), freed ? 2U : 3U) << "what nobody waited for is not queried";
    }
}

// A code of the user's own, so that it is seen to be passed back as it is.
int added_code(const char* words)
{
    int error_class = 0;
    int code = 0;
    MPI_Add_error_class(&error_class);
    MPI_Add_error_code(error_class, &code);
    MPI_Add_error_string(code, words);
    return code;
}

struct Codes {
    int query;
    int free;
    int expected;
};

// The code of the last function that was called, free_fn, is the call's. One of query_fn alone is not lost.
std::vector<Codes> codes_of_failures()
{
    const int of_query = added_code("the query failed");
    const int of_free = added_code("the freeing failed");
    return {{MPI_SUCCESS, of_free, of_free}, {of_query, of_free, of_free}, {of_query, MPI_SUCCESS, of_query}};
}

MPI_TEST_AT(GeneralizedRequest, CodesOfItsFunctionsAreThoseOfTheCompletionCall, ({1}))
{
    const ReturnErrors returned;
    for (const Codes& codes : codes_of_failures()) {
        for (const Call call : kCalls) {
            SCOPED_TRACE(name_of(call));
            Log log;
            Operation operation(log);
            operation.query_code = codes.query;
            operation.free_code = codes.free;
            MPI_Request request = operation.start();
            operation.complete();
            const Finished finished = finish(call, request);
            if (gives_several(call)) {
                EXPECT_EQ(error_class(finished.code), MPI_ERR_IN_STATUS);
                EXPECT_EQ(finished.status.MPI_ERROR, codes.expected);
            } else {
                EXPECT_EQ(finished.code, codes.expected);
            }
            EXPECT_EQ(log, kQueriedAndFreed);
        }
    }
}

MPI_TEST_AT(GeneralizedRequest, AFailedOneDoesNotHideTheOthers, ({1, 2}))
{
    const ReturnErrors returned;
    const int code = added_code("the freeing failed");
    for (const bool with_statuses : {true, false}) {
        Log log;
        Operation good(log, "good");
        Operation bad(log, "bad");
        bad.free_code = code;
        const int out = rank();
        int in = -1;
        MPI_Request requests[] = {bad.start(), MPI_REQUEST_NULL, good.start()};
        MPI_Irecv(&in, 1, MPI_INT, left(), kTag, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(&out, 1, MPI_INT, right(), kTag, MPI_COMM_WORLD);
        good.complete();
        bad.complete();
        MPI_Status statuses[3];
        EXPECT_CLASS(MPI_ERR_IN_STATUS, MPI_Waitall(3, requests, with_statuses ? statuses : MPI_STATUSES_IGNORE));
        EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
        if (with_statuses) {
            EXPECT_EQ(statuses[0].MPI_ERROR, code);
            // Section 3.7.5: each of the others is complete, or has neither failed nor completed.
            for (const int i : {1, 2}) {
                const bool is_complete = requests[i] == MPI_REQUEST_NULL;
                EXPECT_EQ(error_class(statuses[i].MPI_ERROR), is_complete ? MPI_SUCCESS : MPI_ERR_PENDING);
            }
        }
        EXPECT_SUCCESS(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        EXPECT_EQ(in, left());
        std::sort(log.begin(), log.end());
        EXPECT_EQ(log, (Log{"free bad", "free good", "query bad", "query good"}));
    }
}

MPI_TEST_AT(GeneralizedRequest, ACodeOfTheQueryFunctionIsThatOfRequestGetStatus, ({1}))
{
    const ReturnErrors returned;
    const int code = added_code("the query failed");
    Log log;
    Operation operation(log);
    MPI_Request request = operation.start();
    operation.complete();
    operation.query_code = code;
    int flag = -1;
    MPI_Status status;
    EXPECT_EQ(MPI_Request_get_status(request, &flag, &status), code);
    EXPECT_NE(flag, 0);
    operation.query_code = MPI_SUCCESS;
    EXPECT_SUCCESS(MPI_Wait(&request, &status));
    EXPECT_EQ(log, (Log{"query a", "query a", "free a"}));
}

MPI_TEST_AT(GeneralizedRequest, ACodeOfTheFreeFunctionIsThatOfTheCallThatFreesIt, ({1}))
{
    const ReturnErrors returned;
    const int code = added_code("the freeing failed");
    for (const bool completed_first : {true, false}) {
        Log log;
        Operation operation(log);
        operation.free_code = code;
        MPI_Request request = operation.start();
        if (completed_first) operation.complete();
        EXPECT_EQ(MPI_Request_free(&request), completed_first ? code : MPI_SUCCESS);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        if (!completed_first) {
            EXPECT_EQ(MPI_Grequest_complete(operation.request), code);
        }
        EXPECT_EQ(log, Log{"free a"});
    }
}

MPI_TEST_AT(GeneralizedRequest, ACodeOfTheCancelFunctionIsThatOfCancel, ({1}))
{
    const ReturnErrors returned;
    const int code = added_code("it cannot be taken back");
    Log log;
    Operation operation(log);
    operation.cancel_code = code;
    MPI_Request request = operation.start();
    EXPECT_EQ(MPI_Cancel(&request), code);
    EXPECT_EQ(request, operation.request);
    operation.complete();
    EXPECT_SUCCESS(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

// What the error handler of this rank has heard.
struct Heard {
    MPI_Comm comm = MPI_COMM_NULL;
    int code = MPI_SUCCESS;
    int times = 0;
};

Heard& heard()
{
    thread_local Heard of_this_rank;
    return of_this_rank;
}

void note_error(MPI_Comm* comm, int* code, ...)
{
    heard().comm = *comm;
    heard().code = *code;
    ++heard().times;
}

MPI_TEST_AT(GeneralizedRequest, ItsErrorsGoToTheHandlerOfTheWorld, ({1}))
{
    heard() = {};
    const int code = added_code("the freeing failed");
    MPI_Errhandler former = MPI_ERRHANDLER_NULL;
    MPI_Errhandler own = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &former);
    MPI_Comm_create_errhandler(&note_error, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    Log log;
    Operation operation(log);
    operation.free_code = code;
    MPI_Request request = operation.start();
    operation.complete();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(heard().times, 1);
    EXPECT_EQ(heard().code, code);
    EXPECT_EQ(heard().comm, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, former);
    MPI_Errhandler_free(&former);
    MPI_Errhandler_free(&own);
}

MPI_TEST_AT(GeneralizedRequest, OnlyItIsCompletedByTheUserAndItIsNotStarted, ({1}))
{
    const ReturnErrors returned;
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Grequest_complete(MPI_REQUEST_NULL));
    int in = 0;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(&in, 1, MPI_INT, 0, kTag, MPI_COMM_SELF, &receive);
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Grequest_complete(receive));
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    Log log;
    Operation operation(log);
    MPI_Request request = operation.start();
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Start(&request));
    operation.complete();
    EXPECT_CLASS(MPI_ERR_REQUEST, MPI_Grequest_complete(request)) << "a second time";
    EXPECT_EQ(log, Log{});
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(log, kQueriedAndFreed);
}

MPI_TEST_AT(GeneralizedRequest, RandomMixesWithMessagesQueryAndFreeEachOneOnce, ({1, 2, 4}))
{
    std::mt19937_64 random(seed() + static_cast<std::uint64_t>(rank()) * 131);
    constexpr std::size_t kEach = 60;
    Log log;
    std::vector<std::unique_ptr<Operation>> operations;
    std::vector<Message> in;
    std::vector<Message> out;
    for (std::size_t i = 0; i < kEach; ++i) {
        const std::size_t bytes = i % 10 == 0 ? 70000 : i * 3;
        in.emplace_back(bytes);
        out.emplace_back(bytes, 1000 * static_cast<std::uint64_t>(rank()) + i);
        operations.push_back(std::make_unique<Operation>(log, std::to_string(i)));
    }
    std::vector<MPI_Request> requests(3 * kEach, MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < kEach; ++i) {
        MPI_Isend(out[i].data(), out[i].count(), MPI_BYTE, right(), kTag, MPI_COMM_WORLD, &requests[3 * i]);
        requests[3 * i + 1] = operations[i]->start();
        MPI_Irecv(in[i].data(), in[i].count(), MPI_BYTE, left(), kTag, MPI_COMM_WORLD, &requests[3 * i + 2]);
    }
    std::vector<std::size_t> incomplete(kEach);
    for (std::size_t i = 0; i < kEach; ++i) incomplete[i] = i;
    std::shuffle(incomplete.begin(), incomplete.end(), random);
    const int n = static_cast<int>(requests.size());
    std::vector<int> indices(requests.size());
    const auto all_done = [&] {
        return std::all_of(requests.begin(), requests.end(), [](MPI_Request r) { return r == MPI_REQUEST_NULL; });
    };
    while (!all_done()) {
        if (!incomplete.empty()) {
            operations[incomplete.back()]->complete();
            incomplete.pop_back();
        }
        int flag = 0;
        int index = 0;
        switch (random() % 5) {
            case 0:
                MPI_Test(&requests[random() % requests.size()], &flag, MPI_STATUS_IGNORE);
                break;
            case 1:
                // Each round has completed one, so that this one does not wait for ever.
                MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
                break;
            case 2:
                if (incomplete.empty()) MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE);
                break;
            case 3:
                MPI_Testsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE);
                break;
            default:
                MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE);
        }
    }
    for (std::size_t i = 0; i < kEach; ++i) {
        EXPECT_TRUE(in[i].holds(1000 * static_cast<std::uint64_t>(left()) + i)) << "message " << i;
        const auto queried = std::find(log.begin(), log.end(), "query " + std::to_string(i));
        const auto freed = std::find(log.begin(), log.end(), "free " + std::to_string(i));
        EXPECT_LT(queried, freed) << "operation " << i;
    }
    EXPECT_EQ(log.size(), 2 * kEach);
}

}  // namespace
}  // namespace mpi_test
