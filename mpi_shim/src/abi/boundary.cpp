#include "abi/boundary.hpp"

#include "environment/errhandler.hpp"

#include <fmpl.h>

#include <fmt/format.h>

#include <new>
#include <string>

namespace fmpl::mpi {
namespace {

constexpr int kLargestStatus = 255;

[[noreturn]] void end_job(const char* name, const Communicator* comm, int code, const char* words)
{
    std::string on;
    if (comm != nullptr && !comm->name.empty()) on = fmt::format(" on {}", comm->name);
    const int users = code_out(code);
    fmpl_abort(users >= 1 && users <= kLargestStatus ? users : 1, fmt::format("{}{}: {}", name, on, words).c_str());
}

}  // namespace

int handle_current_error(const char* name, HandleNumber object)
{
    try {
        throw;
    } catch (const JobEnding& error) {
        fmpl_abort(1, error.what());
    } catch (const Error& error) {
        return handle_error(name, object, error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return handle_error(name, object, code_of(ErrorClass::no_mem), "the process has no memory left");
    } catch (const std::exception& error) {
        return handle_error(name, object, code_of(ErrorClass::intern), error.what());
    }
}

int handle_error(const char* name, HandleNumber object, int code, const char* words)
{
    Process* const process = find_process();
    if (process == nullptr) end_job(name, nullptr, code, words);
    CommunicatorPtr on;     // null: a window or a file
    ErrhandlerPtr handler;  // held: the user's function may replace it
    if (object == kFileNull) {
        handler = process->file_errhandler;
    } else if (WindowPtr* const window = process->windows.find(object)) {
        handler = (*window)->errhandler;
    } else {
        CommunicatorPtr* const found = process->communicators.find(object);
        on = found != nullptr ? *found : object == kCommSelf ? process->self : process->world;
        handler = on->errhandler;
        object = on->handle;
    }
    switch (handler->kind()) {
        case Errhandler::Kind::fatal:
            end_job(name, on.get(), code, words);
        case Errhandler::Kind::returns:
            break;
        case Errhandler::Kind::user: {
            const TurnGivenAway away(process->turns);
            handler->function()(object, code);
            break;
        }
    }
    return code_out(code);
}

void not_initialized(const char* name)
{
    end_job(name, nullptr, 1,
        has_left() ? "called after MPI_Finalize; MPI can be called between MPI_Init and MPI_Finalize"
                   : "called before MPI_Init; call MPI_Init first");
}

}  // namespace fmpl::mpi
