// What the standard names by constants, as everything below the C and Fortran names knows it: error classes, ranks and
// tags that mean something else, results of comparisons, handles of predefined objects.
//
// The numbers are MPICH 4.0's. Each binary interface has numbers of its own in its mpi.h; abi/<interface> turns one
// into the other.
#pragma once

namespace fmpl::mpi {

// MPI_SUCCESS, MPI_ERR_* (MPI-3.1, section 8.4).
enum class ErrorClass : int {
    success = 0,
    buffer = 1,
    count = 2,
    type = 3,
    tag = 4,
    comm = 5,
    rank = 6,
    root = 7,
    group = 8,
    op = 9,
    topology = 10,
    dims = 11,
    argument = 12,  // MPI_ERR_ARG
    unknown = 13,
    truncate = 14,
    other = 15,
    intern = 16,
    in_status = 17,
    pending = 18,
    request = 19,
    access = 20,
    amode = 21,
    bad_file = 22,
    conversion = 23,
    dup_datarep = 24,
    file_exists = 25,
    file_in_use = 26,
    file = 27,
    info = 28,
    info_key = 29,
    info_value = 30,
    info_nokey = 31,
    io = 32,
    name = 33,
    no_mem = 34,
    not_same = 35,
    no_space = 36,
    no_such_file = 37,
    port = 38,
    quota = 39,
    read_only = 40,
    service = 41,
    spawn = 42,
    unsupported_datarep = 43,
    unsupported_operation = 44,
    win = 45,
    base = 46,
    locktype = 47,
    keyval = 48,
    rma_conflict = 49,
    rma_sync = 50,
    size = 51,
    disp = 52,
    assertion = 53,  // MPI_ERR_ASSERT
    rma_range = 55,
    rma_attach = 56,
    rma_shared = 57,
    rma_flavor = 58,
    last_code = 0x3fffffff,  // programs' own classes and codes come behind it
};

// A code that a call returns: its class, or one of the program's own.
inline constexpr int code_of(ErrorClass error_class)
{
    return static_cast<int>(error_class);
}
inline constexpr int kSuccess = code_of(ErrorClass::success);

// Ranks, tags, colors.
inline constexpr int kProcNull = -1;
inline constexpr int kAnySource = -2;
inline constexpr int kRoot = -3;
inline constexpr int kAnyTag = -1;
inline constexpr int kUndefined = -32766;

// Comparisons of groups and communicators.
inline constexpr int kIdent = 0;
inline constexpr int kCongruent = 1;
inline constexpr int kSimilar = 2;
inline constexpr int kUnequal = 3;

inline constexpr int kThreadSingle = 0;
inline constexpr int kThreadFunneled = 1;
inline constexpr int kThreadSerialized = 2;
inline constexpr int kThreadMultiple = 3;

// What a buffered send needs beside its data; an interface's MPI_BSEND_OVERHEAD is as much or more.
inline constexpr int kBsendOverhead = 96;

// The number of an object among those of its kind (handles/handles.hpp).
using HandleNumber = int;

inline constexpr HandleNumber kCommNull = 0x04000000;
inline constexpr HandleNumber kCommWorld = 0x44000000;
inline constexpr HandleNumber kCommSelf = 0x44000001;
inline constexpr HandleNumber kGroupNull = 0x08000000;
inline constexpr HandleNumber kGroupEmpty = 0x48000000;
inline constexpr HandleNumber kDatatypeNull = 0x0c000000;
inline constexpr HandleNumber kFileNull = 0x10000000;
inline constexpr HandleNumber kErrhandlerNull = 0x14000000;
inline constexpr HandleNumber kErrorsAreFatal = 0x54000000;
inline constexpr HandleNumber kErrorsReturn = 0x54000001;
inline constexpr HandleNumber kErrorsAbort = 0x54000003;
inline constexpr HandleNumber kOpNull = 0x18000000;
inline constexpr HandleNumber kOpMax = 0x58000001;  // the first of those in coll/predefined_operations.hpp
inline constexpr HandleNumber kInfoNull = 0x1c000000;
inline constexpr HandleNumber kInfoEnv = 0x5c000001;
inline constexpr HandleNumber kWinNull = 0x20000000;
inline constexpr HandleNumber kRequestNull = 0x2c000000;
inline constexpr HandleNumber kMessageNull = kRequestNull;
inline constexpr HandleNumber kMessageNoProc = 0x6c000000;

// Keyvals; those of the attributes that MPI sets (section 8.1.2).
inline constexpr int kKeyvalInvalid = 0x24000000;
inline constexpr int kTagUb = 0x64400001;
inline constexpr int kHost = 0x64400003;
inline constexpr int kIo = 0x64400005;
inline constexpr int kWtimeIsGlobal = 0x64400007;
inline constexpr int kUniverseSize = 0x64400009;
inline constexpr int kLastUsedCode = 0x6440000b;
inline constexpr int kAppnum = 0x6440000d;

}  // namespace fmpl::mpi
