#include "environment/error_texts.hpp"

#include "environment/environment.hpp"
#include "error.hpp"

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
    fail(ErrorClass::argument, "errorcode = {} is no error class or code; give what a call has returned", code);
}

int add_error(Environment& environment, int error_class)
{
    if (environment.last_used_code == std::numeric_limits<int>::max()) {
        fail(ErrorClass::other, "all error codes up to {} are in use", environment.last_used_code);
    }
    const int code = ++environment.last_used_code;
    environment.user_errors[code] = {error_class == kSuccess ? code : error_class, ""};
    return code;
}

}  // namespace

const char* error_text(int error_class)
{
    switch (static_cast<ErrorClass>(error_class)) {
        case ErrorClass::success:
            return "no error";
        case ErrorClass::buffer:
            return "invalid buffer";
        case ErrorClass::count:
            return "invalid count";
        case ErrorClass::type:
            return "invalid data type";
        case ErrorClass::tag:
            return "invalid tag";
        case ErrorClass::comm:
            return "invalid communicator";
        case ErrorClass::rank:
            return "invalid rank";
        case ErrorClass::request:
            return "invalid request";
        case ErrorClass::root:
            return "invalid root";
        case ErrorClass::group:
            return "invalid group";
        case ErrorClass::op:
            return "invalid operation";
        case ErrorClass::topology:
            return "invalid topology";
        case ErrorClass::dims:
            return "invalid dimensions";
        case ErrorClass::argument:
            return "invalid argument of another kind";
        case ErrorClass::unknown:
            return "unknown error";
        case ErrorClass::truncate:
            return "message longer than the receive buffer";
        case ErrorClass::other:
            return "known error of no class of its own";
        case ErrorClass::intern:
            return "defect of the MPI library";
        case ErrorClass::in_status:
            return "error code is in the status";
        case ErrorClass::pending:
            return "operation neither failed nor complete";
        case ErrorClass::access:
            return "no permission";
        case ErrorClass::amode:
            return "invalid access mode of a file";
        case ErrorClass::assertion:
            return "invalid assertion";
        case ErrorClass::bad_file:
            return "invalid file name";
        case ErrorClass::base:
            return "invalid base address for freed memory";
        case ErrorClass::conversion:
            return "error in a data conversion function";
        case ErrorClass::disp:
            return "invalid displacement";
        case ErrorClass::dup_datarep:
            return "data representation already defined";
        case ErrorClass::file_exists:
            return "file exists";
        case ErrorClass::file_in_use:
            return "file in use";
        case ErrorClass::file:
            return "invalid file handle";
        case ErrorClass::info_key:
            return "invalid info key";
        case ErrorClass::info_nokey:
            return "info key not defined";
        case ErrorClass::info_value:
            return "invalid info value";
        case ErrorClass::info:
            return "invalid info object";
        case ErrorClass::io:
            return "other input or output error";
        case ErrorClass::keyval:
            return "invalid keyval";
        case ErrorClass::locktype:
            return "invalid lock type";
        case ErrorClass::name:
            return "invalid service name";
        case ErrorClass::no_mem:
            return "not enough memory";
        case ErrorClass::not_same:
            return "collective argument differs between ranks";
        case ErrorClass::no_space:
            return "not enough space";
        case ErrorClass::no_such_file:
            return "file does not exist";
        case ErrorClass::port:
            return "invalid port name";
        case ErrorClass::quota:
            return "quota exceeded";
        case ErrorClass::read_only:
            return "read-only file or file system";
        case ErrorClass::rma_attach:
            return "memory cannot be attached";
        case ErrorClass::rma_conflict:
            return "conflicting accesses to a window";
        case ErrorClass::rma_range:
            return "target memory outside the window";
        case ErrorClass::rma_shared:
            return "memory cannot be shared";
        case ErrorClass::rma_sync:
            return "wrong synchronization of one-sided calls";
        case ErrorClass::rma_flavor:
            return "window of the wrong flavor";
        case ErrorClass::service:
            return "service name not published";
        case ErrorClass::size:
            return "invalid size";
        case ErrorClass::spawn:
            return "processes could not be started";
        case ErrorClass::unsupported_datarep:
            return "unsupported data representation";
        case ErrorClass::unsupported_operation:
            return "unsupported operation";
        case ErrorClass::win:
            return "invalid window";
        case ErrorClass::last_code:
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
    return add_error(environment, kSuccess);
}

int add_error_code(Environment& environment, int error_class)
{
    const auto* const error = user_error(environment, error_class);
    const bool is_class = error_text(error_class) != nullptr || (error != nullptr && error->error_class == error_class);
    if (!is_class || error_class == kSuccess) {
        fail(ErrorClass::argument, "errorclass = {} is no error class; give one of MPI's or of MPI_Add_error_class",
            error_class);
    }
    return add_error(environment, error_class);
}

void set_error_string(Environment& environment, int code, const std::string& text)
{
    auto* const error = user_error(environment, code);
    if (error == nullptr) {
        fail(ErrorClass::argument, "errorcode = {} is not one of MPI_Add_error_class or MPI_Add_error_code", code);
    }
    error->text = text;
}

}  // namespace fmpl::mpi
