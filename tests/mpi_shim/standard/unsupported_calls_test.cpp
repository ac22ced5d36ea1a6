// The calls of MPI-3.1 that are declared and not there yet (chapters 10, 11 and 13) say so, and what of them can be
// answered is: error handlers of files before they are open (13.7), keyvals of windows, the tools interface (14.3).
#include "mpi_test.hpp"

#include <cstring>

namespace mpi_test {
namespace {

// What no call gives.
template <class Handle>
Handle no_handle()
{
    Handle handle;
    std::memset(&handle, 0xff, sizeof handle);
    return handle;
}

MPI_TEST_AT(Unsupported, WindowsFailAndAreNull, ({1, 2}))
{
    const ReturnErrors returned;
    int memory = 0;
    MPI_Win win = no_handle<MPI_Win>();
    MPI_Request request = no_handle<MPI_Request>();
    EXPECT_CLASS(
        MPI_ERR_UNSUPPORTED_OPERATION, MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    EXPECT_EQ(win, MPI_WIN_NULL);
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_Win_fence(0, win));
    EXPECT_CLASS(
        MPI_ERR_UNSUPPORTED_OPERATION, MPI_Rput(&memory, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL, &request));
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    char name[MPI_MAX_OBJECT_NAME] = "a name";
    int length = -1;
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_Win_get_name(win, name, &length));
    EXPECT_STREQ(name, "");
    EXPECT_EQ(length, 0);
}

// Not that of MPI_COMM_WORLD, whose errors are fatal.
MPI_TEST_AT(Unsupported, TheCommunicatorsHandlerDecides, ({1, 2}))
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    void* memory = nullptr;
    MPI_Win win = no_handle<MPI_Win>();
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &memory, &win));
    EXPECT_EQ(win, MPI_WIN_NULL);
    MPI_Comm_free(&comm);
}

MPI_TEST_AT(Unsupported, ThereIsNoWindowToAskForAttributesAndErrorHandlers, ({1}))
{
    const ReturnErrors returned;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    void* value = nullptr;
    int flag = 0;
    EXPECT_CLASS(MPI_ERR_WIN, MPI_Win_set_errhandler(MPI_WIN_NULL, MPI_ERRORS_RETURN));
    EXPECT_CLASS(MPI_ERR_WIN, MPI_Win_get_errhandler(MPI_WIN_NULL, &handler));
    EXPECT_CLASS(MPI_ERR_WIN, MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_OTHER));
    EXPECT_CLASS(MPI_ERR_WIN, MPI_Win_get_attr(MPI_WIN_NULL, MPI_WIN_BASE, &value, &flag));
}

MPI_TEST_AT(Unsupported, KeyvalsOfWindowsAreMadeAndFreed, ({1}))
{
    const ReturnErrors returned;
    int keyval = MPI_KEYVAL_INVALID;
    EXPECT_SUCCESS(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, nullptr));
    EXPECT_NE(keyval, MPI_KEYVAL_INVALID);
    EXPECT_CLASS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, nullptr));
    EXPECT_SUCCESS(MPI_Win_free_keyval(&keyval));
    EXPECT_EQ(keyval, MPI_KEYVAL_INVALID);
}

MPI_TEST_AT(Unsupported, ProcessesAreNotStarted, ({1, 2}))
{
    const ReturnErrors returned;
    MPI_Comm children = MPI_COMM_SELF;
    char port[MPI_MAX_PORT_NAME] = "a port";
    char command[] = "true";
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION,
        MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
    EXPECT_EQ(children, MPI_COMM_NULL);
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_Open_port(MPI_INFO_NULL, port));
    EXPECT_STREQ(port, "");
}

// Without a word to MPI_COMM_WORLD, whose errors are fatal.
MPI_TEST_AT(Unsupported, FilesFailAndAreNull, ({1, 2}))
{
    MPI_File file = no_handle<MPI_File>();
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION,
        MPI_File_open(MPI_COMM_WORLD, "/nonexistent", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    EXPECT_EQ(file, MPI_FILE_NULL);
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_delete("/nonexistent", MPI_INFO_NULL));
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_close(&file));
}

MPI_TEST_AT(Unsupported, FilesHaveNoBytes, ({1}))
{
    MPI_Offset size = -1;
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_get_size(MPI_FILE_NULL, &size));
    EXPECT_EQ(size, 0);
    int byte = 0, count = -1;
    MPI_Status status;
    std::memset(&status, 0x55, sizeof status);
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_read(MPI_FILE_NULL, &byte, 1, MPI_BYTE, &status));
    EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    EXPECT_SUCCESS(MPI_Get_count(&status, MPI_BYTE, &count));
    EXPECT_EQ(count, 0);
}

MPI_TEST_AT(Unsupported, NullHandlesGoToFortranAndBack, ({1}))
{
    EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)), MPI_FILE_NULL);
    EXPECT_EQ(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)), MPI_WIN_NULL);
}

// What the handler of files was called with. The ranks may be threads of one process.
struct Calls {
    int count = 0;
    MPI_File file{};
    int code = MPI_SUCCESS;
};
Calls& calls()
{
    thread_local Calls of_this_rank;
    return of_this_rank;
}
void note_call(MPI_File* file, int* code, ...)
{
    calls() = {calls().count + 1, *file, *code};
}
void note_comm(MPI_Comm*, int*, ...) {}

MPI_TEST_AT(FilesBeforeTheyAreOpen, HaveAnErrorHandlerThatReturns, ({1, 2}))
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    EXPECT_SUCCESS(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    EXPECT_SUCCESS(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL));
    EXPECT_SUCCESS(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
    EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
    EXPECT_SUCCESS(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    EXPECT_SUCCESS(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_OTHER));
}

MPI_TEST_AT(FilesBeforeTheyAreOpen, TellTheProgramsHandler, ({1, 2}))
{
    const ReturnErrors returned;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, found = MPI_ERRHANDLER_NULL;
    EXPECT_SUCCESS(MPI_File_create_errhandler(note_call, &handler));
    EXPECT_SUCCESS(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    EXPECT_SUCCESS(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    EXPECT_EQ(found, handler);
    calls() = {};
    EXPECT_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_delete("/nonexistent", MPI_INFO_NULL));
    EXPECT_EQ(calls().count, 1);
    EXPECT_EQ(calls().file, MPI_FILE_NULL);
    EXPECT_EQ(error_class(calls().code), MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_SUCCESS(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_NO_SPACE));
    EXPECT_EQ(calls().count, 2);
    EXPECT_EQ(calls().code, MPI_ERR_NO_SPACE);

    // One handler's kind is not another's.
    EXPECT_SUCCESS(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    EXPECT_CLASS(MPI_ERR_ARG, MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    MPI_Errhandler of_communicators = MPI_ERRHANDLER_NULL;
    EXPECT_SUCCESS(MPI_Comm_create_errhandler(note_comm, &of_communicators));
    EXPECT_CLASS(MPI_ERR_ARG, MPI_File_set_errhandler(MPI_FILE_NULL, of_communicators));
    MPI_Errhandler_free(&of_communicators);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
}

// Before MPI_Init, as a tool calls it.
TEST(Tools, HaveNoVariables)
{
    int provided = -1, number = -1;
    EXPECT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    EXPECT_GE(provided, MPI_THREAD_SINGLE);
    EXPECT_EQ(MPI_T_cvar_get_num(&number), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(MPI_T_pvar_get_num(&(number = -1)), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(MPI_T_category_get_num(&(number = -1)), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(MPI_T_cvar_get_index("eager", &number), MPI_T_ERR_INVALID_NAME);
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    EXPECT_EQ(MPI_T_cvar_handle_alloc(0, nullptr, &handle, &number), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_cvar_read(handle, &number), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
}

TEST(Tools, HaveSessionsWithoutVariables)
{
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = 0;
    EXPECT_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    EXPECT_NE(session, MPI_T_PVAR_SESSION_NULL);
    EXPECT_EQ(MPI_T_pvar_handle_alloc(session, 0, nullptr, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_start(session, handle), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    EXPECT_EQ(session, MPI_T_PVAR_SESSION_NULL);
}

}  // namespace
}  // namespace mpi_test
