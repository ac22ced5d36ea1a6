// What an MPI_Op handle stands for (MPI-3.1, section 5.9).
#pragma once

#include "datatype/predefined.hpp"
#include "standard.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

struct fmpl_op;

namespace fmpl::mpi {

struct TypeObject;

class Operation {
public:
    // inout[i] = in[i] (op) inout[i] for i in 0 .. count-1 of the type, whose handle a user's function gets. `in` is
    // the operand of the lower ranks.
    using Function = std::function<void(void* in, void* inout, int count, HandleNumber type)>;

    // A user's (MPI_Op_create).
    Operation(Function function, bool commutes) : function_(std::move(function)), commutes_(commutes) {}
    // Predefined: number as predefined_operation() gives it.
    explicit Operation(int number) : number_(number) {}

    bool is_predefined() const { return number_ != 0; }
    int number() const { return number_; }
    bool commutes() const { return commutes_; }

    // Throws Error (class MPI_ERR_OP) where a predefined operation is not defined on the type.
    void check(const TypeObject& type) const;
    // Requires check(type).
    void apply(const void* in, void* inout, std::int64_t count, const TypeObject& type, HandleNumber handle) const;
    // FMPL's form of it, for its collective calls; null where there is none: a user's operation, a derived type,
    // elements with gaps. Requires check(type).
    const fmpl_op* fmpl_form(const TypeObject& type) const;

private:
    Function function_;
    int number_ = 0;
    bool commutes_ = true;
};
using OperationPtr = std::shared_ptr<const Operation>;

}  // namespace fmpl::mpi
