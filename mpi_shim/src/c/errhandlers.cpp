// Error handlers of communicators (MPI-3.1, section 8.3, and their old names).
#include "abi/boundary.hpp"
#include "environment/error_texts.hpp"

using namespace fmpl::mpi;

namespace {

int create(const char* name, MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler)
{
    return call(name, [&](Process& process) {
        check_pointer(reinterpret_cast<const void*>(function), "errhandler_fn");
        check_pointer(errhandler, "errhandler");
        const auto users_function = [function](HandleNumber comm, int code) {
            MPI_Comm users = handle_for<MPI_Comm>(comm);
            int users_code = code_out(code);
            function(&users, &users_code);
        };
        *errhandler = handle_for<MPI_Errhandler>(add_errhandler(process.errhandlers, users_function));
    });
}

int set(const char* name, MPI_Comm comm, MPI_Errhandler errhandler)
{
    return call_on(name, comm, [&](Process& process) {
        const CommunicatorPtr& of = process.communicator(number_of(comm));
        of->errhandler = process.errhandler(number_of(errhandler));
    });
}

int get(const char* name, MPI_Comm comm, MPI_Errhandler* errhandler)
{
    return call_on(name, comm, [&](Process& process) {
        const CommunicatorPtr& of = process.communicator(number_of(comm));
        check_pointer(errhandler, "errhandler");
        *errhandler = handle_for<MPI_Errhandler>(handle_for_user(process.errhandlers, of->errhandler));
    });
}

}  // namespace

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* errhandler_fn, MPI_Errhandler* errhandler)
{
    return create("MPI_Comm_create_errhandler", errhandler_fn, errhandler);
}
FMPL_MPI_NAME(MPI_Comm_create_errhandler)

int PMPI_Errhandler_create(MPI_Comm_errhandler_function* errhandler_fn, MPI_Errhandler* errhandler)
{
    return create("MPI_Errhandler_create", errhandler_fn, errhandler);
}
FMPL_MPI_NAME(MPI_Errhandler_create)

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return set("MPI_Comm_set_errhandler", comm, errhandler);
}
FMPL_MPI_NAME(MPI_Comm_set_errhandler)

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return set("MPI_Errhandler_set", comm, errhandler);
}
FMPL_MPI_NAME(MPI_Errhandler_set)

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler)
{
    return get("MPI_Comm_get_errhandler", comm, errhandler);
}
FMPL_MPI_NAME(MPI_Comm_get_errhandler)

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler)
{
    return get("MPI_Errhandler_get", comm, errhandler);
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
    return call_on("MPI_Comm_call_errhandler", comm, [&](Process& process) {
        process.communicator(number_of(comm));
        // The handler decides; that it returns is no failure of this call.
        const int code = code_in(errorcode);
        handle_error(
            "MPI_Comm_call_errhandler", number_of(comm), code, error_string(process.environment, code).c_str());
    });
}
FMPL_MPI_NAME(MPI_Comm_call_errhandler)
