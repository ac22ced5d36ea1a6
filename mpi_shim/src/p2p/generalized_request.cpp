#include "p2p/generalized_request.hpp"

#include "error.hpp"

namespace fmpl::mpi {

int GeneralizedRequest::noted(const char* function, int code)
{
    if (code != kSuccess) {
        error_words_ = fmt::format("the {} function of the generalized request returned {}", function, code);
    }
    return code;
}

int GeneralizedRequest::query()
{
    return noted("query", functions_.query(status));
}

int GeneralizedRequest::mark_complete()
{
    complete = true;
    return freed_ ? noted("free", functions_.free()) : kSuccess;
}

int GeneralizedRequest::finish_own()
{
    const int queried = query();
    const int freed = noted("free", functions_.free());
    return freed != kSuccess ? freed : queried;
}

void GeneralizedRequest::cancel(Messenger&)
{
    const int code = noted("cancel", functions_.cancel(complete));
    if (code != kSuccess) throw Error(code, error_words_);
}

int GeneralizedRequest::abandon()
{
    freed_ = true;
    return complete ? noted("free", functions_.free()) : kSuccess;
}

}  // namespace fmpl::mpi
