// A request whose operation is the user's own (MPI-3.1, section 12.2): MPI waits for it, and the user says when it is
// complete.
#pragma once

#include "p2p/request.hpp"

#include <functional>
#include <string>
#include <utility>

namespace fmpl::mpi {

class GeneralizedRequest final : public Request {
public:
    // The user's functions. Each returns MPI_SUCCESS or a code, which the call at work fails with.
    struct Functions {
        std::function<int(Status&)> query;
        std::function<int()> free;
        std::function<int(bool complete)> cancel;
    };

    explicit GeneralizedRequest(Functions functions) : Request(Life::generalized), functions_(std::move(functions)) {}

    // Asks the user for the status. Requires `complete`.
    int query();
    // MPI_Grequest_complete. The code of the free function, if the request was freed before.
    int mark_complete();
    bool was_freed() const { return freed_; }

    // Throws Error with the code of the cancel function.
    void cancel(Messenger&) override;
    // MPI_Request_free: the free function is called now if the operation is complete, else by mark_complete. Its code.
    int abandon() override;
    // Which function failed last.
    const char* error_words() const override { return error_words_.c_str(); }

private:
    // The code of the free function, which is called last, or that of the query function if the other succeeds.
    int finish_own() override;
    // Returns the code, and words it when it is an error.
    int noted(const char* function, int code);

    Functions functions_;
    bool freed_ = false;
    std::string error_words_;
};

}  // namespace fmpl::mpi
