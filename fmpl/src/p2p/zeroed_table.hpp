// A table of private records of which most are never touched: memory that is zero, and that the system gives page by
// page when it is first written. A rank of a job of a thousand has a record for each other rank, and talks to a few.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace fmpl {

// T: a record whose initial state is all zero bits.
template <class T>
class ZeroedTable {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= alignof(std::max_align_t));

public:
    ZeroedTable() = default;
    // Throws std::bad_alloc.
    explicit ZeroedTable(std::size_t size)
        : records_(static_cast<T*>(std::calloc(size > 0 ? size : 1, sizeof(T)))),
          size_(size)
    {
        if (!records_) throw std::bad_alloc();
    }
    ZeroedTable(ZeroedTable&& other) noexcept
        : records_(std::move(other.records_)),
          size_(std::exchange(other.size_, 0))
    {
    }
    ZeroedTable& operator=(ZeroedTable&& other) noexcept
    {
        records_ = std::move(other.records_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return records_.get()[i]; }
    const T& operator[](std::size_t i) const { return records_.get()[i]; }

private:
    struct Free {
        void operator()(T* records) const { std::free(records); }
    };
    std::unique_ptr<T, Free> records_;
    std::size_t size_ = 0;
};

}  // namespace fmpl
