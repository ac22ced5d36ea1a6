// Temporary memory of a transfer: remote-DMA memory where there is some, so that it moves with one copy, else the
// heap's.
#pragma once

#include <cstddef>
#include <utility>

namespace fmpl::mpi {

class Scratch {
public:
    Scratch() = default;
    // Throws std::bad_alloc.
    explicit Scratch(std::size_t bytes);
    Scratch(Scratch&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), in_heap_(other.in_heap_) {}
    Scratch& operator=(Scratch&& other) noexcept
    {
        std::swap(memory_, other.memory_);
        std::swap(in_heap_, other.in_heap_);
        return *this;
    }
    ~Scratch();

    std::byte* data() const { return memory_; }
    explicit operator bool() const { return memory_ != nullptr; }

private:
    std::byte* memory_ = nullptr;
    bool in_heap_ = false;
};

}  // namespace fmpl::mpi
