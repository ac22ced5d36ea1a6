// Which root two members expect of their next reduction, each by itself and both alike: the one that came the last time
// after the same two. So it is known where a root stays, where the two take turns, and in every other row whose next
// root the last two tell.
#pragma once

#include <array>
#include <cstdint>

namespace fmpl {

class ExpectedRoot {
public:
    // The next reduction begins; whether its root, 0, 1 or kAllMembers, is the expected one. Where the two roots before
    // it have not come yet, that is the earlier of them.
    bool begins(int root)
    {
        const auto code = static_cast<std::uint8_t>(root + 2);
        std::uint8_t& next = next_[earlier_][last_];
        const bool is_expected = expects_ && code == (next != kNone ? next : earlier_);
        next = code;
        earlier_ = last_;
        last_ = code;
        return is_expected;
    }
    // The other member has named another root than this one: from now on this one expects nothing.
    void give_up() { expects_ = false; }

private:
    static constexpr std::uint8_t kNone = 0;  // before a root + 2
    static constexpr std::size_t kCodes = 4;

    std::array<std::array<std::uint8_t, kCodes>, kCodes> next_{};
    std::uint8_t earlier_ = kNone;
    std::uint8_t last_ = kNone;
    bool expects_ = true;
};

}  // namespace fmpl
