// How much memory a process can still get.
#pragma once

#include <cstdint>
#include <string>

namespace fmpl::npb {

// Bytes: those of the machine, or of the control group that a container sees as its own where these are less. What
// cannot be read is no limit. `root` stands before every path that is read ("" for the real ones).
std::uint64_t available_memory(const std::string& root = "");

}  // namespace fmpl::npb
