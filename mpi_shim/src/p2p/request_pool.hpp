// Requests of one kind, used again and again without allocating.
#pragma once

#include "p2p/request.hpp"

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
    void give_back(T& request) { free_.push_back(&request); }

private:
    std::vector<std::unique_ptr<T>> all_;
    std::vector<T*> free_;
};

}  // namespace fmpl::mpi
