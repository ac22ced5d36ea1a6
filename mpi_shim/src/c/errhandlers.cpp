// Error handlers of communicators, windows and files (MPI-3.1, sections 8.3 and 13.7, and their old names).
#include "abi/boundary.hpp"
#include "environment/error_texts.hpp"

using namespace fmpl::mpi;

namespace {

// What has error handlers. errors_on(): whose handler gets the errors of the calls below.
struct OnCommunicators {
    using Handle = MPI_Comm;
    using Function = MPI_Comm_errhandler_function;
    static constexpr Errhandler::Of kOf = Errhandler::Of::communicator;
    static constexpr const char* kCreate = "MPI_Comm_create_errhandler";

    static Handle errors_on(Handle comm) { return comm; }
    static ErrhandlerPtr& handler_of(Process& process, Handle comm)
    {
        return process.communicator(number_of(comm))->errhandler;
    }
};

struct OnWindows {
    using Handle = MPI_Win;
    using Function = MPI_Win_errhandler_function;
    static constexpr Errhandler::Of kOf = Errhandler::Of::window;
    static constexpr const char* kCreate = "MPI_Win_create_errhandler";

    static Handle errors_on(Handle win) { return win; }
    static ErrhandlerPtr& handler_of(Process& process, Handle win)
    {
        return process.window(number_of(win))->errhandler;
    }
};

// There is MPI_FILE_NULL alone, whose handler is that of files before they are open.
struct OnFiles {
    using Handle = MPI_File;
    using Function = MPI_File_errhandler_function;
    static constexpr Errhandler::Of kOf = Errhandler::Of::file;
    static constexpr const char* kCreate = "MPI_File_create_errhandler";

    static Handle errors_on(Handle) { return MPI_FILE_NULL; }
    static ErrhandlerPtr& handler_of(Process& process, Handle fh)
    {
        if (number_of(fh) != kFileNull) fail(ErrorClass::file, "fh is no file, or one that was closed");
        return process.file_errhandler;
    }
};

template <class Objects>
int create(const char* name, typename Objects::Function* function, MPI_Errhandler* errhandler)
{
    return call(name, [&](Process& process) {
        check_pointer(reinterpret_cast<const void*>(function), "errhandler_fn");
        check_pointer(errhandler, "errhandler");
        const auto users_function = [function](HandleNumber object, int code) {
            auto users = handle_for<typename Objects::Handle>(object);
            int users_code = code_out(code);
            function(&users, &users_code);
        };
        *errhandler = handle_for<MPI_Errhandler>(add_errhandler(process.errhandlers, Objects::kOf, users_function));
    });
}

template <class Objects>
int set(const char* name, typename Objects::Handle object, MPI_Errhandler errhandler)
{
    return call_on(name, Objects::errors_on(object), [&](Process& process) {
        ErrhandlerPtr& of = Objects::handler_of(process, object);
        const ErrhandlerPtr& given = process.errhandler(number_of(errhandler));
        if (!given->is_for(Objects::kOf)) {
            fail(ErrorClass::argument, "errhandler is for objects of another kind; give one of {}", Objects::kCreate);
        }
        of = given;
    });
}

template <class Objects>
int get(const char* name, typename Objects::Handle object, MPI_Errhandler* errhandler)
{
    return call_on(name, Objects::errors_on(object), [&](Process& process) {
        const ErrhandlerPtr& of = Objects::handler_of(process, object);
        check_pointer(errhandler, "errhandler");
        *errhandler = handle_for<MPI_Errhandler>(handle_for_user(process.errhandlers, of));
    });
}

template <class Objects>
int call_errhandler(const char* name, typename Objects::Handle object, int errorcode)
{
    return call_on(name, Objects::errors_on(object), [&](Process& process) {
        Objects::handler_of(process, object);
        // The handler decides; that it returns is no failure of this call.
        const int code = code_in(errorcode);
        handle_error(name, number_of(object), code, error_string(process.environment, code).c_str());
    });
}

}  // namespace

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* errhandler_fn, MPI_Errhandler* errhandler)
{
    return create<OnCommunicators>("MPI_Comm_create_errhandler", errhandler_fn, errhandler);
}
FMPL_MPI_NAME(MPI_Comm_create_errhandler)

int PMPI_Errhandler_create(MPI_Comm_errhandler_function* errhandler_fn, MPI_Errhandler* errhandler)
{
    return create<OnCommunicators>("MPI_Errhandler_create", errhandler_fn, errhandler);
}
FMPL_MPI_NAME(MPI_Errhandler_create)

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return set<OnCommunicators>("MPI_Comm_set_errhandler", comm, errhandler);
}
FMPL_MPI_NAME(MPI_Comm_set_errhandler)

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return set<OnCommunicators>("MPI_Errhandler_set", comm, errhandler);
}
FMPL_MPI_NAME(MPI_Errhandler_set)

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler)
{
    return get<OnCommunicators>("MPI_Comm_get_errhandler", comm, errhandler);
}
FMPL_MPI_NAME(MPI_Comm_get_errhandler)

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler)
{
    return get<OnCommunicators>("MPI_Errhandler_get", comm, errhandler);
}
FMPL_MPI_NAME(MPI_Errhandler_get)

int PMPI_Errhandler_free(MPI_Errhandler* errhandler)
{
    return call("MPI_Errhandler_free", [&](Process& process) {
        check_pointer(errhandler, "errhandler");
        release_errhandler(process.errhandlers, process.errhandler(number_of(*errhandler)));
        *errhandler = MPI_ERRHANDLER_NULL;
    });
}
FMPL_MPI_NAME(MPI_Errhandler_free)

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
    return call_errhandler<OnCommunicators>("MPI_Comm_call_errhandler", comm, errorcode);
}
FMPL_MPI_NAME(MPI_Comm_call_errhandler)

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* errhandler_fn, MPI_Errhandler* errhandler)
{
    return create<OnWindows>("MPI_Win_create_errhandler", errhandler_fn, errhandler);
}
FMPL_MPI_NAME(MPI_Win_create_errhandler)

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
    return set<OnWindows>("MPI_Win_set_errhandler", win, errhandler);
}
FMPL_MPI_NAME(MPI_Win_set_errhandler)

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler)
{
    return get<OnWindows>("MPI_Win_get_errhandler", win, errhandler);
}
FMPL_MPI_NAME(MPI_Win_get_errhandler)

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
    return call_errhandler<OnWindows>("MPI_Win_call_errhandler", win, errorcode);
}
FMPL_MPI_NAME(MPI_Win_call_errhandler)

int PMPI_File_create_errhandler(MPI_File_errhandler_function* errhandler_fn, MPI_Errhandler* errhandler)
{
    return create<OnFiles>("MPI_File_create_errhandler", errhandler_fn, errhandler);
}
FMPL_MPI_NAME(MPI_File_create_errhandler)

int PMPI_File_set_errhandler(MPI_File fh, MPI_Errhandler errhandler)
{
    return set<OnFiles>("MPI_File_set_errhandler", fh, errhandler);
}
FMPL_MPI_NAME(MPI_File_set_errhandler)

int PMPI_File_get_errhandler(MPI_File fh, MPI_Errhandler* errhandler)
{
    return get<OnFiles>("MPI_File_get_errhandler", fh, errhandler);
}
FMPL_MPI_NAME(MPI_File_get_errhandler)

int PMPI_File_call_errhandler(MPI_File fh, int errorcode)
{
    return call_errhandler<OnFiles>("MPI_File_call_errhandler", fh, errorcode);
}
FMPL_MPI_NAME(MPI_File_call_errhandler)
