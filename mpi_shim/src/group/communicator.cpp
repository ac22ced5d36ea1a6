#include "group/communicator.hpp"

#include "group/context_numbers.hpp"

namespace fmpl::mpi {

Communicator::~Communicator()
{
    if (numbers_ != nullptr) numbers_->give_back(context_);
}

}  // namespace fmpl::mpi
