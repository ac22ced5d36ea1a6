// What a window's handle stands for (MPI-3.1, chapter 11): so far what every kind of object has. Nothing makes one yet.
#pragma once

#include "environment/errhandler.hpp"
#include "group/attributes.hpp"

#include <memory>

namespace fmpl::mpi {

struct Window {
    ErrhandlerPtr errhandler;
    std::shared_ptr<Attributes> attributes;  // null without any
};
using WindowPtr = std::shared_ptr<Window>;

}  // namespace fmpl::mpi
