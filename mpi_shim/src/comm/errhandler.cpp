#include "comm/errhandler.hpp"

#include "error.hpp"
#include "process.hpp"

namespace fmpl::mpi {

MPI_Errhandler add_errhandler(Process& process, Errhandler::Function function)
{
    return handle_for_user(process, std::make_shared<Errhandler>(std::move(function)));
}

MPI_Errhandler handle_for_user(Process& process, const ErrhandlerPtr& handler)
{
    if (handler->kind() != Errhandler::Kind::user) return handler->handle;
    if (handler->handles_given == 0) {
        handler->handle = process.errhandlers.add(handler);
        if (handler->handle == 0) {
            fail(MPI_ERR_OTHER, "there are {} error handlers, and no room for more; free some that are not needed",
                process.errhandlers.in_use());
        }
    }
    ++handler->handles_given;
    return handler->handle;
}

void release_errhandler(Process& process, MPI_Errhandler handle)
{
    const ErrhandlerPtr handler = process.errhandler(handle);
    if (handler->kind() != Errhandler::Kind::user) return;
    if (--handler->handles_given == 0) process.errhandlers.remove(handle);
}

}  // namespace fmpl::mpi
