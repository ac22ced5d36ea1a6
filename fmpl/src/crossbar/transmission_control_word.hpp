// A prepared remote write that can be kicked again and again (paper, section 4.1: TCW-reused remote DMA transfer).
//
// Target, address and length are fixed when it is made; each kick sends the present contents of the source record and
// then the flag. Used where a message header always goes to the same place.
#pragma once

#include "crossbar/crossbar.hpp"

#include <array>
#include <cstdint>

namespace fmpl {

template <std::size_t Words>
class TransmissionControlWord {
public:
    TransmissionControlWord() = default;
    // The words are written at `to` of `node`; the 64-bit flag at `flag` of the same node follows them.
    TransmissionControlWord(int node, Offset to, Offset flag) : to_(to), flag_(flag), node_(node), prepared_(true) {}

    bool prepared() const { return prepared_; }

    // Writes the words, then the flag (release: pairs with the target's acquire load), and wakes the target.
    void kick(const Crossbar& crossbar, const std::array<std::uint64_t, Words>& words, std::uint64_t flag) const
    {
        kick_quietly(crossbar, words, flag);
        crossbar.wake(node_);
    }
    // The same, but a target that sleeps is not woken.
    void kick_quietly(const Crossbar& crossbar, const std::array<std::uint64_t, Words>& words, std::uint64_t flag) const
    {
        crossbar.write_words(node_, to_, words);
        crossbar.write_flag(node_, flag_, flag);
    }

private:
    Offset to_ = 0;
    Offset flag_ = 0;
    int node_ = 0;
    bool prepared_ = false;
};

}  // namespace fmpl
