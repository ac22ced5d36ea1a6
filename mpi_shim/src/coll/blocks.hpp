// The memory of a call that belongs to each rank: a function from ranks to messages. Refers to the function it is
// made of, and is used while that exists.
#pragma once

#include "p2p/message_buffer.hpp"

#include <type_traits>

namespace fmpl::mpi {

class Blocks {
public:
    template <class Function>
    requires std::is_invocable_r_v<MessageBuffer, const Function&, int> Blocks(const Function& function)
        : function_(&function),
          call_([](const void* f, int rank) -> MessageBuffer { return (*static_cast<const Function*>(f))(rank); })
    {
    }

    MessageBuffer operator()(int rank) const { return call_(function_, rank); }

private:
    const void* function_;
    MessageBuffer (*call_)(const void* function, int rank);
};

}  // namespace fmpl::mpi
