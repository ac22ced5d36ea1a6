#include "api/binding.hpp"

#include "error.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace fmpl {

thread_local Binding* bound = nullptr;

Binding& process_binding()
{
    // Not destroyed at exit: another thread, or a destructor of the program, may still call.
    static Binding* const binding = new Binding;
    return *binding;
}

namespace {

ErrorReport error_report()
{
    const char* text = std::getenv("FMPL_ERRORS");
    const std::string_view mode = text == nullptr ? "print" : text;
    if (mode == "return") return ErrorReport::silent;
    if (mode == "abort") return ErrorReport::abort;
    return ErrorReport::print;
}

}  // namespace

Endpoint& Binding::attach()
{
    if (!seat) seat = seat_from_environment();
    if (!endpoint) endpoint = std::make_unique<Endpoint>(*seat);
    return *endpoint;
}

int Binding::rank() const
{
    if (seat) return seat->rank;
    try {
        return rank_from_environment();
    } catch (const Error&) {
        return 0;  // the variables are no good; the call at hand says so
    }
}

int Binding::report(const char* call, const Error& error)
{
    error_message = fmt::format("rank {}: {}: {}", rank(), call, error.what());
    // A rank that learns of the job's end has nothing to add to what the failing rank said.
    const ErrorReport mode = error_report();
    if (mode != ErrorReport::silent && error.code() != FMPL_ERR_ABORTED) {
        const std::string line = "fmpl: " + error_message + "\n";
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());  // in one piece
    }
    if (mode == ErrorReport::abort) fmpl_abort(error.code(), error_message.c_str());
    return error.code();
}

int Binding::report_current_exception(const char* call)
{
    try {
        throw;
    } catch (const Error& error) {
        return report(call, error);
    } catch (const std::bad_alloc&) {
        return report(call, Error(FMPL_ERR_MEMORY, "the process has no memory left"));
    } catch (const std::exception& error) {
        return report(call, Error(FMPL_ERR_INTERNAL, error.what()));
    }
}

}  // namespace fmpl
