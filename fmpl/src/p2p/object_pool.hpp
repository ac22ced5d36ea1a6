// Reused objects of one type, so that the steady path of nonblocking calls allocates nothing.
#pragma once

#include <memory>
#include <vector>

namespace fmpl {

template <class T>
class ObjectPool {
public:
    T* take()
    {
        if (free_.empty()) {
            all_.push_back(std::make_unique<T>());
            return all_.back().get();
        }
        T* object = free_.back();
        free_.pop_back();
        *object = T{};
        return object;
    }
    void give_back(T* object) { free_.push_back(object); }

private:
    std::vector<std::unique_ptr<T>> all_;
    std::vector<T*> free_;
};

}  // namespace fmpl
