// A flag that is true for as long as an object lives, whatever ends the block.
#pragma once

namespace fmpl {

class ScopedFlag {
public:
    // nullptr: there is none to set.
    explicit ScopedFlag(bool* flag) : flag_(flag)
    {
        if (flag_ != nullptr) *flag_ = true;
    }
    ~ScopedFlag()
    {
        if (flag_ != nullptr) *flag_ = false;
    }
    ScopedFlag(const ScopedFlag&) = delete;
    ScopedFlag& operator=(const ScopedFlag&) = delete;

private:
    bool* flag_;
};

}  // namespace fmpl
