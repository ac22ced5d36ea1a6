// MPI-3.1, sections 8.3 to 8.5: error handlers, classes, codes and their words.
#include "mpi_test.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

using namespace mpi_test;

namespace {

// What the handler below was called with. The ranks may be threads of one process.
struct Calls {
    int count = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    int code = MPI_SUCCESS;
};

Calls& calls()
{
    thread_local Calls of_this_rank;
    return of_this_rank;
}

void note_call(MPI_Comm* comm, int* code, ...)
{
    ++calls().count;
    calls().comm = *comm;
    calls().code = *code;
}

void note_twice(MPI_Comm* comm, int* code, ...)
{
    note_call(comm, code);
    ++calls().count;
}

// A copy of MPI_COMM_WORLD, freed at the end of its scope.
class Copy {
public:
    explicit Copy(MPI_Comm from = MPI_COMM_WORLD) { MPI_Comm_dup(from, &comm_); }
    ~Copy() { MPI_Comm_free(&comm_); }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    MPI_Comm get() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

class Handler {
public:
    explicit Handler(MPI_Comm_errhandler_function* function) { MPI_Comm_create_errhandler(function, &handler_); }
    ~Handler()
    {
        if (handler_ != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&handler_);
    }
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    MPI_Errhandler get() const { return handler_; }
    MPI_Errhandler& handle() { return handler_; }

private:
    MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

// Sends to a rank that is not there.
int provoke(MPI_Comm comm)
{
    const int value = 0;
    return MPI_Send(&value, 1, MPI_INT, size(), 0, comm);
}

const std::vector<int> kClasses = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK,
    MPI_ERR_REQUEST, MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP, MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG,
    MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_PENDING, MPI_ERR_KEYVAL, MPI_ERR_NO_MEM,
    MPI_ERR_BASE, MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE, MPI_ERR_INFO_NOKEY, MPI_ERR_SPAWN, MPI_ERR_PORT,
    MPI_ERR_SERVICE, MPI_ERR_NAME, MPI_ERR_WIN, MPI_ERR_SIZE, MPI_ERR_DISP, MPI_ERR_INFO, MPI_ERR_LOCKTYPE,
    MPI_ERR_ASSERT, MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC, MPI_ERR_FILE, MPI_ERR_NOT_SAME, MPI_ERR_AMODE,
    MPI_ERR_UNSUPPORTED_DATAREP, MPI_ERR_UNSUPPORTED_OPERATION, MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE_EXISTS,
    MPI_ERR_BAD_FILE, MPI_ERR_ACCESS, MPI_ERR_NO_SPACE, MPI_ERR_QUOTA, MPI_ERR_READ_ONLY, MPI_ERR_FILE_IN_USE,
    MPI_ERR_DUP_DATAREP, MPI_ERR_CONVERSION, MPI_ERR_IO, MPI_ERR_RMA_RANGE, MPI_ERR_RMA_ATTACH, MPI_ERR_RMA_SHARED,
    MPI_ERR_RMA_FLAVOR};

std::string words_of(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = -1;
    MPI_Error_string(code, text, &length);
    EXPECT_EQ(std::string(text).size(), static_cast<std::size_t>(length));
    return text;
}

}  // namespace

MPI_TEST_AT(ErrorClass, PredefinedOnesAreDistinctAndTheirOwnClass, ({1}))
{
    EXPECT_EQ(MPI_SUCCESS, 0);
    std::set<int> seen{MPI_SUCCESS};
    for (const int code : kClasses) {
        EXPECT_TRUE(seen.insert(code).second) << code;
        EXPECT_LE(code, MPI_ERR_LASTCODE);
        EXPECT_EQ(error_class(code), code);
    }
}

MPI_TEST_AT(ErrorClass, PredefinedOnesHaveWords, ({1}))
{
    std::set<std::string> seen;
    for (const int code : kClasses) {
        const std::string words = words_of(code);
        EXPECT_FALSE(words.empty()) << code;
        seen.insert(words);
    }
    EXPECT_EQ(seen.size(), kClasses.size());
    words_of(MPI_SUCCESS);
}

MPI_TEST_AT(ErrorClass, UsersMayAddClassesCodesAndWords, ({1, 2}))
{
    int new_class = -1;
    MPI_Add_error_class(&new_class);
    EXPECT_GT(new_class, MPI_ERR_LASTCODE);
    if (!excepted("MPI_Error_class of an added class")) {
        EXPECT_EQ(error_class(new_class), new_class);
    }
    int code = -1;
    MPI_Add_error_code(new_class, &code);
    EXPECT_NE(code, new_class);
    EXPECT_EQ(error_class(code), new_class);
    int of_predefined = -1;
    MPI_Add_error_code(MPI_ERR_TOPOLOGY, &of_predefined);
    EXPECT_EQ(error_class(of_predefined), MPI_ERR_TOPOLOGY);
    MPI_Add_error_string(new_class, "the reactor");
    MPI_Add_error_string(code, "the reactor is hot");
    EXPECT_EQ(words_of(new_class), "the reactor");
    EXPECT_EQ(words_of(code), "the reactor is hot");
    MPI_Add_error_string(code, "it is cold");
    EXPECT_EQ(words_of(code), "it is cold");
    void* value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    EXPECT_TRUE(flag);
    if (!excepted("MPI_LASTUSEDCODE follows added codes")) {
        EXPECT_GE(*static_cast<int*>(value), new_class);
    }
}

MPI_TEST_AT(ErrorClass, WordsOfPredefinedOnesCannotBeChanged, ({1}))
{
    const ReturnErrors guard;
    EXPECT_NE(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_SUCCESS);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (!excepted("words of a code that is none")) {
        EXPECT_NE(MPI_Error_string(-12345, text, &length), MPI_SUCCESS);
    }
}

MPI_TEST(ErrorHandler, OfANewProgramIsFatal)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    EXPECT_TRUE(handler == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    EXPECT_TRUE(handler == MPI_ERRHANDLER_NULL);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
    EXPECT_TRUE(handler == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

MPI_TEST(ErrorHandler, ReturnGivesCodesWithTheClassOfTheError)
{
    const ReturnErrors guard;
    int value = 0;
    EXPECT_CLASS(MPI_ERR_RANK, provoke(MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    EXPECT_CLASS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, size(), MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_ROOT, MPI_Bcast(&value, 1, MPI_INT, -1, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_COUNT, MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD));
    EXPECT_CLASS(MPI_ERR_TYPE, MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
    int sum = 0;
    EXPECT_CLASS(MPI_ERR_OP, MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    EXPECT_FALSE(words_of(provoke(MPI_COMM_WORLD)).empty());
}

MPI_TEST(ErrorHandler, OfTheUserGetsCommunicatorAndCode)
{
    const Copy comm;
    const Handler handler(&note_call);
    MPI_Comm_set_errhandler(comm.get(), handler.get());
    calls() = {};
    const int returned = provoke(comm.get());
    EXPECT_EQ(calls().count, 1);
    EXPECT_TRUE(calls().comm == comm.get());
    EXPECT_EQ(error_class(calls().code), MPI_ERR_RANK);
    // A handler that returns lets the call return the code.
    EXPECT_EQ(returned, calls().code);
    MPI_Comm_set_errhandler(comm.get(), MPI_ERRORS_RETURN);
    EXPECT_CLASS(MPI_ERR_RANK, provoke(comm.get()));
    EXPECT_EQ(calls().count, 1);
}

MPI_TEST(ErrorHandler, IsCopiedByDupAndInheritedBySplit)
{
    const Copy parent;
    const Handler handler(&note_call);
    MPI_Comm_set_errhandler(parent.get(), handler.get());
    const Copy child(parent.get());
    // Changing the parent's afterwards does not change the child's.
    MPI_Comm_set_errhandler(parent.get(), MPI_ERRORS_RETURN);
    calls() = {};
    provoke(child.get());
    EXPECT_EQ(calls().count, 1);
    EXPECT_TRUE(calls().comm == child.get());
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(child.get(), 0, 0, &part);
    provoke(part);
    EXPECT_EQ(calls().count, 2);
    EXPECT_TRUE(calls().comm == part);
    MPI_Comm_free(&part);
}

MPI_TEST(ErrorHandler, CanBeCalledByTheProgram)
{
    const Copy comm;
    const Handler handler(&note_call);
    MPI_Comm_set_errhandler(comm.get(), handler.get());
    calls() = {};
    EXPECT_EQ(MPI_Comm_call_errhandler(comm.get(), MPI_ERR_OTHER), MPI_SUCCESS);
    EXPECT_EQ(calls().count, 1);
    EXPECT_EQ(calls().code, MPI_ERR_OTHER);
    EXPECT_TRUE(calls().comm == comm.get());
}

MPI_TEST(ErrorHandler, FreedInUseStillServes)
{
    const Copy comm;
    Handler handler(&note_twice);
    MPI_Comm_set_errhandler(comm.get(), handler.get());
    MPI_Errhandler_free(&handler.handle());
    EXPECT_TRUE(handler.get() == MPI_ERRHANDLER_NULL);
    calls() = {};
    provoke(comm.get());
    EXPECT_EQ(calls().count, 2);
    // Asking for it gives a reference of one's own.
    MPI_Errhandler again = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm.get(), &again);
    MPI_Comm_set_errhandler(comm.get(), MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm.get(), again);
    MPI_Errhandler_free(&again);
    provoke(comm.get());
    EXPECT_EQ(calls().count, 4);
}

MPI_TEST(ErrorHandler, AreRecycled)
{
    const Copy comm;
    for (int i = 0; i < 2000; ++i) {
        const Handler handler(&note_call);
        MPI_Comm_set_errhandler(comm.get(), handler.get());
    }
    calls() = {};
    provoke(comm.get());
    EXPECT_EQ(calls().count, 1);
}

MPI_TEST(ErrorHandler, NullIsAnError)
{
    const ReturnErrors guard;
    MPI_Errhandler none = MPI_ERRHANDLER_NULL;
    EXPECT_NE(MPI_Errhandler_free(&none), MPI_SUCCESS);
    EXPECT_NE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_SUCCESS);
}

// An error in a request's completion goes to the handler of the request's communicator.
MPI_TEST(ErrorHandler, OfARequestIsThatOfItsCommunicator)
{
    if (size() == 1 && excepted("truncation of a message to oneself")) return;
    const Copy comm;
    const Handler handler(&note_call);
    MPI_Comm_set_errhandler(comm.get(), handler.get());
    calls() = {};
    const int values[2] = {1, 2};
    int short_buffer = 0;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(&short_buffer, 1, MPI_INT, (rank() + size() - 1) % size(), 0, comm.get(), &receive);
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(values, 2, MPI_INT, (rank() + 1) % size(), 0, comm.get(), &send);
    EXPECT_CLASS(MPI_ERR_TRUNCATE, MPI_Wait(&receive, MPI_STATUS_IGNORE));
    EXPECT_EQ(calls().count, 1);
    EXPECT_TRUE(calls().comm == comm.get());
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}
