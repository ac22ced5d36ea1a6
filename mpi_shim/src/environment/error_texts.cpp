#include "environment/error_texts.hpp"

#include "environment/environment.hpp"
#include "error.hpp"

#include <mpi.h>

#include <limits>

namespace fmpl::mpi {
namespace {

// The user's error of that code; null when it is none.
template <class AnEnvironment>
auto* user_error(AnEnvironment& environment, int code)
{
    const auto found = environment.user_errors.find(code);
    return found == environment.user_errors.end() ? nullptr : &found->second;
}

[[noreturn]] void fail_unknown(int code)
{
    fail(MPI_ERR_ARG, "errorcode = {} is no error class or code; give what a call has returned", code);
}

int add_error(Environment& environment, int error_class)
{
    if (environment.last_used_code == std::numeric_limits<int>::max()) {
        fail(MPI_ERR_OTHER, "all error codes up to {} are in use", environment.last_used_code);
    }
    const int code = ++environment.last_used_code;
    environment.user_errors[code] = {error_class == MPI_SUCCESS ? code : error_class, ""};
    return code;
}

}  // namespace

const char* error_text(int error_class)
{
    switch (error_class) {
        case MPI_SUCCESS:
            return "no error";
        case MPI_ERR_BUFFER:
            return "invalid buffer";
        case MPI_ERR_COUNT:
            return "invalid count";
        case MPI_ERR_TYPE:
            return "invalid data type";
        case MPI_ERR_TAG:
            return "invalid tag";
        case MPI_ERR_COMM:
            return "invalid communicator";
        case MPI_ERR_RANK:
            return "invalid rank";
        case MPI_ERR_REQUEST:
            return "invalid request";
        case MPI_ERR_ROOT:
            return "invalid root";
        case MPI_ERR_GROUP:
            return "invalid group";
        case MPI_ERR_OP:
            return "invalid operation";
        case MPI_ERR_TOPOLOGY:
            return "invalid topology";
        case MPI_ERR_DIMS:
            return "invalid dimensions";
        case MPI_ERR_ARG:
            return "invalid argument of another kind";
        case MPI_ERR_UNKNOWN:
            return "unknown error";
        case MPI_ERR_TRUNCATE:
            return "message longer than the receive buffer";
        case MPI_ERR_OTHER:
            return "known error of no class of its own";
        case MPI_ERR_INTERN:
            return "defect of the MPI library";
        case MPI_ERR_IN_STATUS:
            return "error code is in the status";
        case MPI_ERR_PENDING:
            return "operation neither failed nor complete";
        case MPI_ERR_ACCESS:
            return "no permission";
        case MPI_ERR_AMODE:
            return "invalid access mode of a file";
        case MPI_ERR_ASSERT:
            return "invalid assertion";
        case MPI_ERR_BAD_FILE:
            return "invalid file name";
        case MPI_ERR_BASE:
            return "invalid base address for freed memory";
        case MPI_ERR_CONVERSION:
            return "error in a data conversion function";
        case MPI_ERR_DISP:
            return "invalid displacement";
        case MPI_ERR_DUP_DATAREP:
            return "data representation already defined";
        case MPI_ERR_FILE_EXISTS:
            return "file exists";
        case MPI_ERR_FILE_IN_USE:
            return "file in use";
        case MPI_ERR_FILE:
            return "invalid file handle";
        case MPI_ERR_INFO_KEY:
            return "invalid info key";
        case MPI_ERR_INFO_NOKEY:
            return "info key not defined";
        case MPI_ERR_INFO_VALUE:
            return "invalid info value";
        case MPI_ERR_INFO:
            return "invalid info object";
        case MPI_ERR_IO:
            return "other input or output error";
        case MPI_ERR_KEYVAL:
            return "invalid keyval";
        case MPI_ERR_LOCKTYPE:
            return "invalid lock type";
        case MPI_ERR_NAME:
            return "invalid service name";
        case MPI_ERR_NO_MEM:
            return "not enough memory";
        case MPI_ERR_NOT_SAME:
            return "collective argument differs between ranks";
        case MPI_ERR_NO_SPACE:
            return "not enough space";
        case MPI_ERR_NO_SUCH_FILE:
            return "file does not exist";
        case MPI_ERR_PORT:
            return "invalid port name";
        case MPI_ERR_QUOTA:
            return "quota exceeded";
        case MPI_ERR_READ_ONLY:
            return "read-only file or file system";
        case MPI_ERR_RMA_ATTACH:
            return "memory cannot be attached";
        case MPI_ERR_RMA_CONFLICT:
            return "conflicting accesses to a window";
        case MPI_ERR_RMA_RANGE:
            return "target memory outside the window";
        case MPI_ERR_RMA_SHARED:
            return "memory cannot be shared";
        case MPI_ERR_RMA_SYNC:
            return "wrong synchronization of one-sided calls";
        case MPI_ERR_RMA_FLAVOR:
            return "window of the wrong flavor";
        case MPI_ERR_SERVICE:
            return "service name not published";
        case MPI_ERR_SIZE:
            return "invalid size";
        case MPI_ERR_SPAWN:
            return "processes could not be started";
        case MPI_ERR_UNSUPPORTED_DATAREP:
            return "unsupported data representation";
        case MPI_ERR_UNSUPPORTED_OPERATION:
            return "unsupported operation";
        case MPI_ERR_WIN:
            return "invalid window";
        case MPI_ERR_LASTCODE:
            return "last error code";
        default:
            return nullptr;
    }
}

std::string error_string(const Environment& environment, int code)
{
    if (const char* const text = error_text(code)) return text;
    if (const auto* const error = user_error(environment, code)) return error->text;
    fail_unknown(code);
}

int class_of_error(const Environment& environment, int code)
{
    if (error_text(code) != nullptr) return code;
    if (const auto* const error = user_error(environment, code)) return error->error_class;
    fail_unknown(code);
}

int add_error_class(Environment& environment)
{
    return add_error(environment, MPI_SUCCESS);
}

int add_error_code(Environment& environment, int error_class)
{
    const auto* const error = user_error(environment, error_class);
    const bool is_class = error_text(error_class) != nullptr || (error != nullptr && error->error_class == error_class);
    if (!is_class || error_class == MPI_SUCCESS) {
        fail(
            MPI_ERR_ARG, "errorclass = {} is no error class; give one of MPI's or of MPI_Add_error_class", error_class);
    }
    return add_error(environment, error_class);
}

void set_error_string(Environment& environment, int code, const std::string& text)
{
    auto* const error = user_error(environment, code);
    if (error == nullptr) {
        fail(MPI_ERR_ARG, "errorcode = {} is not one of MPI_Add_error_class or MPI_Add_error_code", code);
    }
    if (text.size() >= MPI_MAX_ERROR_STRING) {
        fail(MPI_ERR_ARG, "string has {} characters; at most {} are allowed", text.size(), MPI_MAX_ERROR_STRING - 1);
    }
    error->text = text;
}

}  // namespace fmpl::mpi
