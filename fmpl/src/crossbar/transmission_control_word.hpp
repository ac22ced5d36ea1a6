// A prepared remote write that can be kicked again and again (paper, section 4.1: TCW-reused remote DMA transfer).
//
// Target, address and length are fixed when it is made; each kick sends the present contents of the source record and
// then the flag. Used where a message header always goes to the same place.
#pragma once

#include "crossbar/crossbar.hpp"

#include <cstring>

namespace fmpl {

template <class Record>
class TransmissionControlWord {
public:
    TransmissionControlWord() = default;
    // Record is written at `to` of `node`; the 64-bit flag at `flag` of the same node follows it.
    TransmissionControlWord(const Crossbar& crossbar, int node, Offset to, Offset flag)
        : to_(to), flag_(flag), target_(crossbar.mapped(node, 0)), node_(node)
    {
    }

    // Writes record, then flag, and wakes the target.
    void kick(const Crossbar& crossbar, const Record& record, std::uint64_t flag) const
    {
        if (target_ != nullptr) [[likely]] {
            std::memcpy(target_ + to_, &record, sizeof record);
            // release: pairs with the acquire load of the flag by the target
            reinterpret_cast<std::atomic<std::uint64_t>*>(target_ + flag_)->store(flag, std::memory_order_release);
        } else {
            crossbar.write(node_, to_, &record, sizeof record);
            crossbar.write_flag(node_, flag_, flag);
        }
        crossbar.wake(node_);
    }

private:
    Offset to_ = 0;
    Offset flag_ = 0;
    std::byte* target_ = nullptr;  // base of the job's memory when the target is mapped
    int node_ = -1;
};

}  // namespace fmpl
