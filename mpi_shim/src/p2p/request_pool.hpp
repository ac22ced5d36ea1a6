// Requests of one kind, used again and again without allocating.
#pragma once

#include "p2p/request.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace fmpl::mpi {

// T: has `pool` and `next_free`, and gives itself back in dispose().
template <class T>
class RequestPool {
public:
    Ref<T> take()
    {
        T* const request = free_;
        if (request == nullptr) [[unlikely]]
            return made();
        free_ = request->next_free;
        request->complete = false;
        request->status = Status::empty();
        request->handle = 0;
        return Ref<T>(request);
    }
    void give_back(T& request)
    {
        request.complete = true;
        request.next_free = free_;
        free_ = &request;
    }

    // Whether a request that is not complete satisfies the condition.
    template <class Condition>
    bool any_under_way(const Condition& condition) const
    {
        return std::any_of(all_.begin(), all_.end(),
            [&](const std::unique_ptr<T>& request) { return !request->complete && condition(*request); });
    }

private:
    [[gnu::noinline]] Ref<T> made()
    {
        all_.push_back(std::make_unique<T>());
        all_.back()->pool = this;
        return Ref<T>(all_.back().get());
    }

    std::vector<std::unique_ptr<T>> all_;
    T* free_ = nullptr;
};

}  // namespace fmpl::mpi
