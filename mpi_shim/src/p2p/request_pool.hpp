// Requests of one kind, used again and again without allocating.
#pragma once

#include "p2p/request.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace fmpl::mpi {

// T: has `pool`, and gives itself back in dispose().
template <class T>
class RequestPool {
public:
    Ref<T> take()
    {
        if (free_.empty()) {
            all_.push_back(std::make_unique<T>());
            all_.back()->pool = this;
            free_.reserve(all_.size());
            return Ref<T>(all_.back().get());
        }
        T* const request = free_.back();
        free_.pop_back();
        request->complete = false;
        request->status = Status::empty();
        request->handle = 0;
        return Ref<T>(request);
    }
    void give_back(T& request)
    {
        request.complete = true;
        free_.push_back(&request);
    }

    // Whether a request that is not complete satisfies the condition.
    template <class Condition>
    bool any_under_way(const Condition& condition) const
    {
        return std::any_of(all_.begin(), all_.end(),
            [&](const std::unique_ptr<T>& request) { return !request->complete && condition(*request); });
    }

private:
    std::vector<std::unique_ptr<T>> all_;
    std::vector<T*> free_;
};

}  // namespace fmpl::mpi
