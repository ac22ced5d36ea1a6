// A message that no receive has matched yet, as its owners hold it. What it is: p2p/operations.hpp.
#pragma once

#include <memory>

namespace fmpl::mpi {

struct UnexpectedMessage;

// Gives it back to its pool, with its body to malloc.
struct DropMessage {
    void operator()(UnexpectedMessage* message) const;
};
using UnexpectedMessagePtr = std::unique_ptr<UnexpectedMessage, DropMessage>;

}  // namespace fmpl::mpi
