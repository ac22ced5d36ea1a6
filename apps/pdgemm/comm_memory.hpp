// Memory for matrices, panels and messages, from where this build's communication library reaches it fastest.
//
// Never returns nullptr: throws std::bad_alloc when there is neither memory of that kind nor heap. Aligned to 64 bytes,
// freed by the destructor, which must run on the thread that made it. One implementation per communication library.
#pragma once

#include <cstddef>

namespace fmpl::pdgemm {

class CommMemory {
public:
    explicit CommMemory(std::size_t bytes);
    ~CommMemory();
    CommMemory(const CommMemory&) = delete;
    CommMemory& operator=(const CommMemory&) = delete;

    std::byte* data() const { return data_; }

private:
    std::byte* data_;
    bool on_heap_;
};

}  // namespace fmpl::pdgemm
