#include "environment/errhandler.hpp"

#include "error.hpp"

namespace fmpl::mpi {

HandleNumber add_errhandler(ErrhandlerTable& table, Errhandler::Of of, Errhandler::Function function)
{
    return handle_for_user(table, std::make_shared<Errhandler>(of, std::move(function)));
}

HandleNumber handle_for_user(ErrhandlerTable& table, const ErrhandlerPtr& handler)
{
    if (handler->kind() != Errhandler::Kind::user) return handler->handle;
    if (handler->handles_given == 0) {
        handler->handle = table.add(handler);
        if (handler->handle == 0) {
            fail(ErrorClass::other, "there are {} error handlers, and no room for more; free some that are not needed",
                table.in_use());
        }
    }
    ++handler->handles_given;
    return handler->handle;
}

void release_errhandler(ErrhandlerTable& table, ErrhandlerPtr handler)
{
    if (handler->kind() != Errhandler::Kind::user) return;
    if (--handler->handles_given == 0) table.remove(handler->handle);
}

}  // namespace fmpl::mpi
