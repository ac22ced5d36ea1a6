// MPI-3.1, section 12.2: generalized requests.
#include "abi/boundary.hpp"
#include "abi/status.hpp"
#include "p2p/generalized_request.hpp"

using namespace fmpl::mpi;

int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
    MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request)
{
    return call("MPI_Grequest_start", [&](Process& process) {
        if (query_fn == nullptr || free_fn == nullptr || cancel_fn == nullptr) {
            fail(ErrorClass::argument, "{} is a null pointer; give a function",
                query_fn == nullptr ? "query_fn" : (free_fn == nullptr ? "free_fn" : "cancel_fn"));
        }
        check_pointer(request, "request");
        GeneralizedRequest::Functions functions;
        const std::shared_ptr<ThreadTurns> turns = process.turns;
        functions.query = [query_fn, extra_state, turns](Status& status) {
            const TurnGivenAway away(turns);
            MPI_Status users{};
            give(&users, Status::empty());
            const int code = query_fn(extra_state, &users);
            status = taken_from(users);
            return code_in(code);
        };
        functions.free = [free_fn, extra_state, turns] {
            const TurnGivenAway away(turns);
            return code_in(free_fn(extra_state));
        };
        functions.cancel = [cancel_fn, extra_state, turns](bool complete) {
            const TurnGivenAway away(turns);
            return code_in(cancel_fn(extra_state, complete ? 1 : 0));
        };
        *request = handle_for<MPI_Request>(process.add(RequestRef(new GeneralizedRequest(std::move(functions)))));
        ++process.messenger.generalized_requests;
    });
}
FMPL_MPI_NAME(MPI_Grequest_start)

int PMPI_Grequest_complete(MPI_Request request)
{
    return call("MPI_Grequest_complete", [&](Process& process) {
        const Ref<Request> found(&process.request(number_of(request)));
        auto* const generalized = dynamic_cast<GeneralizedRequest*>(found.get());
        if (generalized == nullptr) fail(ErrorClass::request, "request is not one of MPI_Grequest_start");
        if (generalized->complete) fail(ErrorClass::request, "request is complete already; complete it once");
        const int code = generalized->mark_complete();
        --process.messenger.generalized_requests;
        // The handle is valid until the free function has returned.
        if (generalized->was_freed()) process.remove_request(number_of(request));
        if (code != MPI_SUCCESS) throw Error(code, generalized->error_words());
    });
}
FMPL_MPI_NAME(MPI_Grequest_complete)
