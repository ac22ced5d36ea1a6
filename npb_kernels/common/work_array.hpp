// Memory of one rank that nobody else touches, in huge pages where the system gives them: the kernels go through more
// memory than a TLB of 4 KiB pages covers. Aligned to a page; zero at first; never moved.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace fmpl::npb {

template <class T>
class WorkArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    WorkArray() = default;
    explicit WorkArray(std::size_t count) : count_(count)
    {
        constexpr std::size_t kHugePage = std::size_t{2} << 20;
        if (count == 0) return;
        bytes_ = (count * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
        void* const p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        madvise(p, bytes_, MADV_HUGEPAGE);  // a hint
        data_ = static_cast<T*>(p);
    }
    ~WorkArray()
    {
        if (data_ != nullptr) munmap(data_, bytes_);
    }
    WorkArray(WorkArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          count_(std::exchange(other.count_, 0)),
          bytes_(other.bytes_)
    {
    }
    WorkArray& operator=(WorkArray&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + count_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + count_; }
    operator std::span<T>() { return {data_, count_}; }
    operator std::span<const T>() const { return {data_, count_}; }

private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace fmpl::npb
