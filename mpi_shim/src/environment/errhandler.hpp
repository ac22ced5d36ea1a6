// What an MPI_Errhandler handle stands for (MPI-3.1, section 8.3).
#pragma once

#include "handles/handles.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace fmpl::mpi {

class Errhandler {
public:
    enum class Kind { fatal, returns, user };
    // What the program's handler is for; the predefined ones are for all.
    enum class Of { communicator, window, file };
    // The program's handler, which may look at the object and the error code.
    using Function = std::function<void(HandleNumber object, int code)>;

    explicit Errhandler(Kind kind) : kind_(kind) {}
    Errhandler(Of of, Function function) : kind_(Kind::user), of_(of), function_(std::move(function)) {}

    Kind kind() const { return kind_; }
    const Function& function() const { return function_; }
    bool is_for(Of of) const { return kind_ != Kind::user || of_ == of; }

    int handle = kErrhandlerNull;
    // How often the user has got the handle and not freed it. An object may have the handler without.
    int handles_given = 0;

private:
    Kind kind_;
    Of of_ = Of::communicator;
    Function function_;
};
using ErrhandlerPtr = std::shared_ptr<Errhandler>;
using ErrhandlerTable = HandleTable<ErrhandlerPtr, HandleKind::errhandler>;

// MPI_Comm_create_errhandler and its likes: the new handler's handle.
HandleNumber add_errhandler(ErrhandlerTable& table, Errhandler::Of of, Errhandler::Function function);
// MPI_Comm_get_errhandler and its likes: the handle of an object's handler, which the user will free. One that was
// freed gets a new one.
HandleNumber handle_for_user(ErrhandlerTable& table, const ErrhandlerPtr& handler);
// MPI_Errhandler_free of the handler's handle. The predefined handlers stay.
void release_errhandler(ErrhandlerTable& table, ErrhandlerPtr handler);

}  // namespace fmpl::mpi
