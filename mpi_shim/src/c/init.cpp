// Joining and leaving MPI (MPI-3.1, sections 8.7 and 12.4).
#include "abi/boundary.hpp"

#include <algorithm>

using namespace fmpl::mpi;

namespace {

int join(const char* name, int required, int* provided)
{
    try {
        const int level = thread_level_in(required);
        if (level < kThreadSingle || level > kThreadMultiple) {
            fail(ErrorClass::argument,
                "required = {} is no level of thread support; give MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE", required);
        }
        if (provided != nullptr) {
            *provided = thread_level_out(join_process(level).thread_level());
        } else {
            join_process(level);
        }
        return MPI_SUCCESS;
    } catch (...) {
        return handle_current_error(name, kCommNull);
    }
}

int fail_null_flag(const char* name)
{
    return handle_error(name, kCommNull, code_of(ErrorClass::argument), "flag is a null pointer");
}

}  // namespace

int PMPI_Init(int*, char***)
{
    return join("MPI_Init", MPI_THREAD_SINGLE, nullptr);
}
FMPL_MPI_NAME(MPI_Init)

int PMPI_Init_thread(int*, char***, int required, int* provided)
{
    return join("MPI_Init_thread", required, provided);
}
FMPL_MPI_NAME(MPI_Init_thread)

int PMPI_Finalize(void)
{
    return call("MPI_Finalize", [](Process&) { leave_process(); });
}
FMPL_MPI_NAME(MPI_Finalize)

int PMPI_Initialized(int* flag)
{
    if (flag == nullptr) return fail_null_flag("MPI_Initialized");
    *flag = has_joined() ? 1 : 0;
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_Initialized)

int PMPI_Finalized(int* flag)
{
    if (flag == nullptr) return fail_null_flag("MPI_Finalized");
    *flag = has_left() ? 1 : 0;
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_Finalized)

int PMPI_Query_thread(int* provided)
{
    return call("MPI_Query_thread", [&](Process& process) {
        check_pointer(provided, "provided");
        *provided = thread_level_out(process.thread_level());
    });
}
FMPL_MPI_NAME(MPI_Query_thread)

int PMPI_Is_thread_main(int* flag)
{
    return call("MPI_Is_thread_main", [&](Process& process) {
        check_pointer(flag, "flag");
        *flag = std::this_thread::get_id() == process.main_thread() ? 1 : 0;
    });
}
FMPL_MPI_NAME(MPI_Is_thread_main)
