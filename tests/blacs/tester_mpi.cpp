// libtester_mpi.so: the nine Fortran MPI routines that the BLACS tester calls beside the BLACS, over FMPL's public
// calls.
//
// Debian's xCbtest and xFbtest (package scalapack-mpi-test) compare what the BLACS did by messages of their own, which
// go through MPI. Preloaded, this library takes those calls, so that the testers run over BLACS-FMPL without any MPI
// being started. It knows no more of MPI than they use: one duplicate of MPI_COMM_WORLD, blocking messages with a named
// source and tag 0, six data types. Anything else ends the job with words. The numbers are those of Open MPI's mpif.h,
// which the testers were compiled with.
#include <fmpl.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace {

// Open MPI's Fortran values.
constexpr int kCommWorld = 0;
constexpr int kSuccess = 0;
constexpr int kErrComm = 5;
constexpr int kErrOther = 16;

constexpr int kCount = 8;  // indices; the testers use one
constexpr int kIndex = 0;

[[noreturn]] void refuse(const char* routine, const char* argument, int value)
{
    char words[160];
    std::snprintf(words, sizeof words, "libtester_mpi has no %s with %s = %d", routine, argument, value);
    fmpl_abort(1, words);
}

std::optional<size_t> size_of(int type)
{
    switch (type) {
        case 1:
            return 1;  // MPI_BYTE
        case 7:
            return sizeof(int);  // MPI_INTEGER
        case 13:
            return sizeof(float);  // MPI_REAL
        case 17:
            return sizeof(double);  // MPI_DOUBLE_PRECISION
        case 18:
            return 2 * sizeof(float);  // MPI_COMPLEX
        case 22:
            return 2 * sizeof(double);  // MPI_DOUBLE_COMPLEX
        default:
            return std::nullopt;
    }
}

// The bytes of a message of tag 0.
size_t bytes_of(const char* routine, int count, int type, int tag)
{
    const auto size = size_of(type);
    if (!size) refuse(routine, "datatype", type);
    if (count < 0) refuse(routine, "count", count);
    if (tag != 0) refuse(routine, "tag", tag);
    return static_cast<size_t>(count) * *size;
}

int code_of(int fmpl_code)
{
    return fmpl_code == FMPL_SUCCESS ? kSuccess : fmpl_code == FMPL_ERR_COMM ? kErrComm : kErrOther;
}

}  // namespace

extern "C" {

void mpi_initialized_(int* flag, int* ierr)
{
    *ierr = code_of(fmpl_initialized(flag));
}

void mpi_init_(int* ierr)
{
    *ierr = code_of(fmpl_init(nullptr, nullptr, kCount));
}

void mpi_comm_dup_(const int* comm, int* duplicate, int* ierr)
{
    if (*comm != kCommWorld) refuse("mpi_comm_dup", "comm", *comm);
    *ierr = code_of(fmpl_comm_create(duplicate, 1));
}

void mpi_comm_rank_(const int* comm, int* rank, int* ierr)
{
    *ierr = code_of(fmpl_comm_rank(*comm, rank));
}

void mpi_comm_size_(const int* comm, int* size, int* ierr)
{
    *ierr = code_of(fmpl_comm_size(*comm, size));
}

void mpi_type_size_(const int* type, int* size, int* ierr)
{
    *size = static_cast<int>(bytes_of("mpi_type_size", 1, *type, 0));
    *ierr = kSuccess;
}

void mpi_send_(const void* buf, const int* count, const int* type, const int* destination, const int* tag,
    const int* comm, int* ierr)
{
    *ierr = code_of(fmpl_send(buf, bytes_of("mpi_send", *count, *type, *tag), *destination, kIndex, *comm));
}

// The testers do not look at the status.
void mpi_recv_(
    void* buf, const int* count, const int* type, const int* source, const int* tag, const int* comm, int*, int* ierr)
{
    *ierr = code_of(fmpl_recv(buf, bytes_of("mpi_recv", *count, *type, *tag), *source, kIndex, *comm));
}

void mpi_abort_(const int*, const int* code, int*)
{
    fmpl_abort(*code >= 1 && *code <= 255 ? *code : 1, "the BLACS tester called mpi_abort");
}

}  // extern "C"
