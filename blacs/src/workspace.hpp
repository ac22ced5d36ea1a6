// The packing area of one process: memory of the communication library that grows geometrically and is reused by every
// call, so that the steady path allocates nothing. Between two BLACS calls it holds nothing that matters.
#pragma once

#include <cstddef>
#include <limits>

namespace fmpl::blacs {

class Workspace {
public:
    Workspace() = default;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    // Room for `count` elements, valid until the next call of reserve or release. Throws Error.
    template <class T>
    T* reserve(std::size_t count)
    {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) too_large();
        const std::size_t bytes = count * sizeof(T);
        if (bytes > capacity_) [[unlikely]]
            grow(bytes);
        return static_cast<T*>(memory_);
    }

    // Gives the memory back. There is no destructor: the library's own end frees what a process leaves behind, and a
    // process that ends outside the library must not call it.
    void release();

private:
    [[noreturn]] static void too_large();
    void grow(std::size_t bytes);

    void* memory_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace fmpl::blacs
