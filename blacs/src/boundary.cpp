#include "boundary.hpp"

#include <fmt/format.h>

#include <string>

namespace fmpl::blacs {

void give_up(const char* routine, int context, const char* words, int status)
{
    std::string where = fmt::format("process {}", job_rank());
    if (const Process* process = find_process()) {
        if (const Context* c = process->find_context(context)) {
            where += fmt::format(" at {{{},{}}} of the {} x {} grid, context {}", c->grid().my_row, c->grid().my_column,
                c->grid().rows, c->grid().columns, context);
        }
    }
    const std::string reason = fmt::format("BLACS routine {}, {}: {}", routine, where, words);
    end_job(status, reason.c_str());
}

}  // namespace fmpl::blacs
