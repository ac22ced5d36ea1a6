// fmplrun: starts a job of FMPL, carries its input and output, watches over it, and cleans up after it.

#include "job.hpp"
#include "options.hpp"
#include "other_mpi.hpp"

#include <fmpl/fmpl.hpp>

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

namespace {

// Started with one of the three closed, fmplrun would get its number for something else, and write messages into it.
void open_missing_standard_descriptors()
{
    for (int fd = 0; fd < 3; ++fd) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(1);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    open_missing_standard_descriptors();
    std::signal(SIGPIPE, SIG_IGN);  // a failed write says it too
    std::signal(SIGTTIN, SIG_IGN);
    const auto command = fmpl::launcher::parse_command_line(argc, argv);
    if (!command.options) return command.status;
    if (const auto warning = fmpl::launcher::warning_of_other_mpi(*command.options)) {
        fmt::print(stderr, "fmplrun: {}\n", *warning);
    }
    try {
        return fmpl::launcher::Job(*command.options).run();
    } catch (const fmpl::Error& error) {
        fmt::print(stderr, "fmplrun: {}\n", error.what());
        return error.code() == FMPL_ERR_ARGUMENT ? 2 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "fmplrun: {}\n", error.what());
        return 1;
    }
}
