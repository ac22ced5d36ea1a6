#include "p2p/envelopes/body_steps.hpp"

#include "error.hpp"

#include <thread>

namespace fmpl {

std::size_t ComingBody::await(const Node& node, std::size_t bytes) const
{
    constexpr std::uint32_t kLooksBetweenChecks = 1024;
    constexpr int kPausesBetweenLooks = 8;  // a look takes the line from the source
    for (std::uint32_t looks = 1;; ++looks) {
        const std::size_t there = bytes_there();
        if (there >= bytes) return there;
        for (int i = 0; i < kPausesBetweenLooks; ++i) cpu_relax();
        if (looks % kLooksBetweenChecks != 0) continue;
        node.waiter.check_abort();
        std::this_thread::yield();  // to the source, if it has lost its CPU
    }
}

bool ComingBody::is_whole(const Node& node) const
{
    try {
        await(node, std::numeric_limits<std::size_t>::max());
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace fmpl
