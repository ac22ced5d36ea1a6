// Operations of Open MPI's C++ interface: the program makes one of a function that this library does not know the form
// of, and gives its own here. The first, of libmpi_cxx, then gets it as a fifth argument (cxx/bindings.cpp).
#include "abi/boundary.hpp"
#include "coll/operation.hpp"

#include <memory>

using namespace fmpl::mpi;

namespace {

using Intercept = void(void* in, void* inout, int* count, MPI_Datatype* type, MPI_User_function* users);

}  // namespace

extern "C" [[gnu::weak]] Intercept ompi_mpi_cxx_op_intercept;

extern "C" void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function* users)
{
    call("MPI::Op::Init", [&](Process& process) {
        const OperationPtr& made = process.operation(number_of(op));
        if (ompi_mpi_cxx_op_intercept == nullptr || made->is_predefined()) {
            fail(ErrorClass::op, "op is none that MPI::Op::Init has made");
        }
        const auto function = [users](void* in, void* inout, int count, HandleNumber type) {
            MPI_Datatype handle = handle_for<MPI_Datatype>(type);
            ompi_mpi_cxx_op_intercept(in, inout, &count, &handle, users);
        };
        *process.operations.find(number_of(op)) = std::make_shared<const Operation>(function, made->commutes());
    });
}
