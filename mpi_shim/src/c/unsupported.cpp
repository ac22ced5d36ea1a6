// The calls that are not there yet (unsupported.def): each fails with MPI_ERR_UNSUPPORTED_OPERATION. What it would make
// is the null handle, and what it would tell is nothing, so that a program that goes on does not meet an undefined one.
#include "abi/boundary.hpp"
#include "abi/status.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

using namespace fmpl::mpi;

namespace {

// What each of these answers `words` with, on the error handler of `object`.
template <class Handle>
int unsupported(const char* name, Handle object, const char* words)
{
    return call_on(name, object, [&](Process&) { fail(ErrorClass::unsupported_operation, "{}", words); });
}

int processes(const char* name, MPI_Comm comm = MPI_COMM_NULL)
{
    return unsupported(name, comm,
        "to start processes, or to connect with those of another job, is not there yet (MPI-3.1, chapter 10); start "
        "all ranks at once, with fmplrun -n");
}

int windows(const char* name, MPI_Comm comm = MPI_COMM_NULL)
{
    return unsupported(name, comm,
        "one-sided communication is not there yet (MPI-3.1, chapter 11); use messages (MPI_Send, MPI_Recv) or "
        "collective calls");
}

// Errors of files are returned unless the program says otherwise, and many programs look at none: the first one is told
// of.
void warn_of_files(const char* name, Process& process)
{
    if (process.environment.has_warned_of_files || process.file_errhandler != process.errors_return) return;
    process.environment.has_warned_of_files = true;
    const std::string line = fmt::format(
        "fmpl: warning: rank {}: {}: files are not there yet; such calls return MPI_ERR_UNSUPPORTED_OPERATION\n",
        process.rank(), name);
    std::fputs(line.c_str(), stderr);
}

int files(const char* name)
{
    return call_on(name, MPI_File{MPI_FILE_NULL}, [&](Process& process) {
        warn_of_files(name, process);
        fail(ErrorClass::unsupported_operation,
            "files are not there yet (MPI-3.1, chapter 13); use those of the programming language, one for each rank, "
            "or gather what one rank then writes");
    });
}

template <class Handle>
void give_null(Handle* made, Handle null)
{
    if (made != nullptr) *made = null;
}

void give_none(char* text)
{
    if (text != nullptr) *text = '\0';
}
void give_none(MPI_Status* status)
{
    if (status != nullptr) give(status, Status::empty());
}
template <class Number>
void give_none(Number* number)
{
    if (number != nullptr) *number = 0;
}
template <class... Given>
void give_nothing(Given*... given)
{
    (give_none(given), ...);
}

}  // namespace

#define FMPL_UNSUPPORTED(part, name, parameters) \
    int P##name parameters                       \
    {                                            \
        return part(#name);                      \
    }                                            \
    FMPL_MPI_NAME(name)
#define FMPL_UNSUPPORTED_MAKES(part, name, null, parameters) \
    int P##name parameters                                   \
    {                                                        \
        give_null(made, null);                               \
        return part(#name);                                  \
    }                                                        \
    FMPL_MPI_NAME(name)
#define FMPL_UNSUPPORTED_MAKES_ON(part, name, null, parameters) \
    int P##name parameters                                      \
    {                                                           \
        give_null(made, null);                                  \
        return part(#name, comm);                               \
    }                                                           \
    FMPL_MPI_NAME(name)
#define FMPL_UNSUPPORTED_GIVES(part, name, parameters, given) \
    int P##name parameters                                    \
    {                                                         \
        give_nothing given;                                   \
        return part(#name);                                   \
    }                                                         \
    FMPL_MPI_NAME(name)
#include "c/unsupported.def"
