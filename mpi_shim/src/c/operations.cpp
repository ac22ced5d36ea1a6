// MPI-3.1, sections 5.9.5 to 5.9.7: operations of the user's, reduction without communication.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "coll/operation.hpp"
#include "process/process.hpp"

using namespace fmpl::mpi;

int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op)
{
    return call("MPI_Op_create", [&](Process& process) {
        check_pointer(reinterpret_cast<const void*>(user_fn), "user_fn");
        check_pointer(op, "op");
        const auto function = [user_fn](void* in, void* inout, int count, HandleNumber type) {
            MPI_Datatype users = handle_for<MPI_Datatype>(type);
            user_fn(in, inout, &count, &users);
        };
        *op = handle_for<MPI_Op>(process.add(std::make_shared<const Operation>(function, commute != 0)));
    });
}
FMPL_MPI_NAME(MPI_Op_create)

int PMPI_Op_free(MPI_Op* op)
{
    return call("MPI_Op_free", [&](Process& process) {
        check_pointer(op, "op");
        if (process.operation(number_of(*op))->is_predefined()) {
            fail(ErrorClass::op, "op is a predefined operation, which cannot be freed");
        }
        process.operations.remove(number_of(*op));
        *op = MPI_OP_NULL;
    });
}
FMPL_MPI_NAME(MPI_Op_free)

int PMPI_Op_commutative(MPI_Op op, int* commute)
{
    return call("MPI_Op_commutative", [&](Process& process) {
        check_pointer(commute, "commute");
        *commute = process.operation(number_of(op))->commutes() ? 1 : 0;
    });
}
FMPL_MPI_NAME(MPI_Op_commutative)

int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
    return call("MPI_Reduce_local", [&](Process& process) {
        const Operation& operation = *process.operation(number_of(op));
        const MessageBuffer in = message_buffer(process, inbuf, count, datatype, "inbuf");
        const TypeObject& type = process.committed_type(number_of(datatype));
        check_buffer(inoutbuf, in.bytes, type, "inoutbuf");
        operation.check(type);
        if (inbuf == inoutbuf && in.bytes > 0 && inbuf != MPI_BOTTOM) {
            fail(ErrorClass::buffer, "inbuf and inoutbuf are the same; give two buffers");
        }
        if (count > 0) operation.apply(inbuf, inoutbuf, count, type, number_of(datatype));
    });
}
FMPL_MPI_NAME(MPI_Reduce_local)
