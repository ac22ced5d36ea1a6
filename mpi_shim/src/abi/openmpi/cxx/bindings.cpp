// libmpi_cxx.so.40: what of the C++ classes, which MPI-3 removed, every program asks for that was compiled with Open
// MPI's mpicxx, whether it uses them or not: its mpi.h defines nearly all of them inline, and refers to these. The
// objects of the namespace MPI (MPI::COMM_WORLD and the like) are not here.
//
// Functions of classes are defined by the names that the compiler gives them, with the object as first argument. An
// object is a pointer to its table of virtual functions, which the program has, and a handle.
#include <mpi.h>

namespace {

template <class Handle>
struct Object {
    const void* virtual_functions;
    Handle handle;
};

// Behind the two words that a table begins with.
const void* functions_of(const void* const* table)
{
    return table == nullptr ? nullptr : table + 2;
}

}  // namespace

extern "C" {

// MPI::Comm's and MPI::Datatype's tables, where the program has them.
[[gnu::weak]] extern const void* const _ZTVN3MPI4CommE[];
[[gnu::weak]] extern const void* const _ZTVN3MPI8DatatypeE[];

// MPI::Comm::Comm(), of a whole object and of a part of one.
void _ZN3MPI4CommC1Ev(Object<MPI_Comm>* self)
{
    self->virtual_functions = functions_of(_ZTVN3MPI4CommE);
    self->handle = MPI_COMM_NULL;
}
void _ZN3MPI4CommC2Ev(Object<MPI_Comm>* self)
{
    _ZN3MPI4CommC1Ev(self);
}

// MPI::Datatype::Free(), MPI::Win::Free(), MPI::File::Close()
void _ZN3MPI8Datatype4FreeEv(Object<MPI_Datatype>* self)
{
    MPI_Type_free(&self->handle);
}
void _ZN3MPI3Win4FreeEv(Object<MPI_Win>* self)
{
    MPI_Win_free(&self->handle);
}
void _ZN3MPI4File5CloseEv(Object<MPI_File>* self)
{
    MPI_File_close(&self->handle);
}

// The function of every operation that MPI::Op::Init makes; `users` takes the type as an object.
void ompi_mpi_cxx_op_intercept(void* in, void* inout, int* count, MPI_Datatype* type, MPI_User_function* users)
{
    using Function = void(const void* in, void* inout, int count, const Object<MPI_Datatype>& type);
    const Object<MPI_Datatype> object{functions_of(_ZTVN3MPI8DatatypeE), *type};
    reinterpret_cast<Function*>(reinterpret_cast<void*>(users))(in, inout, *count, object);
}
}
