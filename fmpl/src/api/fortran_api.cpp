// fmplf.h: the calls of fmpl.h by reference, with the code in the last argument, under the names that gfortran gives
// them.
#include "api/binding.hpp"
#include "api/boundary.hpp"
#include "error.hpp"

#include <cstdint>
#include <iterator>

using namespace fmpl;

namespace {

// In the order of the parameters in fmplf.h, from 1.
constexpr fmpl_op_t kBuiltIn[] = {&fmpl_sum_int32, &fmpl_prod_int32, &fmpl_min_int32, &fmpl_max_int32, &fmpl_sum_int64,
    &fmpl_prod_int64, &fmpl_min_int64, &fmpl_max_int64, &fmpl_sum_float, &fmpl_prod_float, &fmpl_min_float,
    &fmpl_max_float, &fmpl_sum_double, &fmpl_prod_double, &fmpl_min_double, &fmpl_max_double, &fmpl_sum_complex,
    &fmpl_prod_complex, &fmpl_sum_double_complex, &fmpl_prod_double_complex};
constexpr int kFirstOwn = 1000;  // handles of fmpl_op_create

// The subroutine of fmpl_op_create takes its count by reference; it is called through the binding, which knows which of
// the rank's own operations is being applied.
void apply_fortran_operation(const void* in, void* inout, std::size_t count)
{
    const int n = static_cast<int>(count);
    binding().fortran_function(in, inout, &n);
}

// The operation behind a Fortran handle; nullptr (an argument error) when there is none.
fmpl_op_t operation(int handle)
{
    if (handle >= 1 && handle <= static_cast<int>(std::size(kBuiltIn))) return kBuiltIn[handle - 1];
    Binding& b = binding();
    if (handle < kFirstOwn) return nullptr;
    const auto own = static_cast<std::size_t>(handle - kFirstOwn);
    if (own >= b.fortran_operations.size()) return nullptr;
    b.fortran_function = b.fortran_operations[own].function;
    return &b.fortran_operations[own].operation;
}

int checked_size(const char* call, int size, std::size_t& n)
{
    if (size >= 0) {
        n = static_cast<std::size_t>(size);
        return FMPL_SUCCESS;
    }
    return binding().report(call, Error(FMPL_ERR_ARGUMENT, fmt::format("the size or count {} is negative", size)));
}

}  // namespace

extern "C" {

void fmpl_init_(fmpl_match_t* ma, fmpl_flag_t* fa, const int* count, int* ier)
{
    *ier = fmpl_init(ma, fa, *count);
}

void fmpl_finalize_(int* ier)
{
    *ier = fmpl_finalize();
}

void fmpl_initialized_(int* flag, int* ier)
{
    *ier = fmpl_initialized(flag);
}

void fmpl_abort_(const int* code)
{
    fmpl_abort(*code, nullptr);
}

void fmpl_send_(const void* buf, const int* size, const int* dst, const int* mai, const int* comm, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_send", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_send(buf, n, *dst, *mai, *comm);
}

void fmpl_recv_(void* buf, const int* size, const int* src, const int* mai, const int* comm, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_recv", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_recv(buf, n, *src, *mai, *comm);
}

void fmpl_isend_(const void* buf, const int* size, const int* dst, const int* mai, const int* comm, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_isend", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_isend(buf, n, *dst, *mai, *comm);
}

void fmpl_issend_(const void* buf, const int* size, const int* dst, const int* mai, const int* comm, int* ier)
{
    fmpl_isend_(buf, size, dst, mai, comm, ier);
}

void fmpl_irecv_(void* buf, const int* size, const int* src, const int* mai, const int* comm, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_irecv", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_irecv(buf, n, *src, *mai, *comm);
}

void fmpl_send_any_(const void* buf, const int* size, const int* dst, const int* mai, const int* comm, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_send_any", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_send_any(buf, n, *dst, *mai, *comm);
}

void fmpl_recv_any_(void* buf, const int* size, const int* mai, const int* comm, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_recv_any", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_recv_any(buf, n, *mai, *comm);
}

void fmpl_sendbuf_set_(void* buf, const int* size, const int* ipara, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_sendbuf_set", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_sendbuf_set(buf, n, *ipara);
}

void fmpl_bcast_(void* buf, const int* size, const int* root, const int* comm, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_bcast", *size, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_bcast(buf, n, *root, *comm);
}

void fmpl_reduce_(void* buf, const int* count, const int* func, const int* root, const int* comm, void* work, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_reduce", *count, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_reduce(buf, n, operation(*func), *root, *comm, work);
}

void fmpl_allreduce_(void* buf, const int* count, const int* func, const int* comm, void* work, int* ier)
{
    std::size_t n = 0;
    *ier = checked_size("fmpl_allreduce", *count, n);
    if (*ier == FMPL_SUCCESS) *ier = fmpl_allreduce(buf, n, operation(*func), *comm, work);
}

void fmpl_isend_wait_(const int* dst, const int* mai, const int* comm, int* ier)
{
    *ier = fmpl_isend_wait(*dst, *mai, *comm);
}

void fmpl_issend_wait_(const int* dst, const int* mai, const int* comm, int* ier)
{
    *ier = fmpl_isend_wait(*dst, *mai, *comm);
}

void fmpl_irecv_wait_(const int* src, const int* mai, const int* comm, int* ier)
{
    *ier = fmpl_irecv_wait(*src, *mai, *comm);
}

void fmpl_received_(int* source, int* index, int* bytes, int* ier)
{
    std::size_t length = 0;
    *ier = fmpl_received(source, index, &length);
    *bytes = static_cast<int>(length);
}

void fmpl_sendbuf_check_(int* nsend, int* nspool, int* ier)
{
    *ier = fmpl_sendbuf_check(nsend, nspool);
}

void fmpl_comm_create_(int* comm, const int* key, int* ier)
{
    *ier = fmpl_comm_create(comm, *key);
}

void fmpl_comm_free_(int* comm, int* ier)
{
    *ier = fmpl_comm_free(comm);
}

void fmpl_comm_rank_(const int* comm, int* rank, int* ier)
{
    *ier = fmpl_comm_rank(*comm, rank);
}

void fmpl_comm_size_(const int* comm, int* size, int* ier)
{
    *ier = fmpl_comm_size(*comm, size);
}

void fmpl_op_create_(int* func, Binding::FortranFunction function, const int* size, int* ier)
{
    Binding& b = binding();
    if (*size < 1) {
        *ier = b.report(
            "fmpl_op_create", Error(FMPL_ERR_ARGUMENT, fmt::format("size = {}: an element has a byte or more", *size)));
        return;
    }
    b.fortran_operations.push_back(
        {{apply_fortran_operation, static_cast<std::size_t>(*size), "Fortran", 0, nullptr}, function});
    *func = kFirstOwn + static_cast<int>(b.fortran_operations.size()) - 1;
    *ier = FMPL_SUCCESS;
}

void fmpl_barrier_(const int* comm, int* ier)
{
    *ier = fmpl_barrier(*comm);
}

void fmpl_malloc_(const std::int64_t* size, std::int64_t* address, int* ier)
{
    *address = 0;
    if (*size < 0) {
        *ier = binding().report("fmpl_malloc", Error(FMPL_ERR_ARGUMENT, fmt::format("size = {} is negative", *size)));
        return;
    }
    *address = reinterpret_cast<std::int64_t>(fmpl_malloc(static_cast<std::size_t>(*size)));
    *ier = *address != 0 ? FMPL_SUCCESS : FMPL_ERR_MEMORY;
}

void fmpl_free_(const std::int64_t* address, int* ier)
{
    fmpl_free(reinterpret_cast<void*>(*address));
    *ier = FMPL_SUCCESS;
}

double fmpl_wtime_(void)
{
    return fmpl_wtime();
}

}  // extern "C"
