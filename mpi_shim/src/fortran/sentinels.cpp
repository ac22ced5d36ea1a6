#include "sentinels.hpp"

#include "fortran/exported_variable.hpp"

#include <link.h>

#include <cstddef>
#include <cstdint>

extern "C" {

FmplMpipriv1 mpipriv1_;
FmplMpipriv2 mpipriv2_;
FmplMpiprivc mpiprivc_;
MPI_Fint mpifcmb5_;
MPI_Fint mpifcmb9_;

// For C that calls Fortran's routines, or is called by them (MPI-3.1, section 17.2.5).
MPI_Fint* MPI_F_STATUS_IGNORE = mpipriv1_.status_ignore;
MPI_Fint* MPI_F_STATUSES_IGNORE = mpipriv2_.statuses_ignore;
}

namespace fmpl::mpi::fortran {

namespace {

struct Block {
    const char* name;
    const void* ours;
    std::size_t bytes;
};

// A place outside of the block is as far from its begin as a large number says.
std::size_t place_in(const void* block, const void* address)
{
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(block);
}

}  // namespace

const void* sentinel_of(const void* argument)
{
    const Block blocks[] = {
        {"mpipriv1_", &mpipriv1_, sizeof mpipriv1_},
        {"mpipriv2_", &mpipriv2_, sizeof mpipriv2_},
        {"mpifcmb5_", &mpifcmb5_, sizeof mpifcmb5_},
        {"mpifcmb9_", &mpifcmb9_, sizeof mpifcmb9_},
    };
    for (const Block& block : blocks)
        if (place_in(block.ours, argument) < block.bytes) return argument;
    // The blocks of the program itself, which is the first object, are ours.
    const link_map* object = object_of(argument);
    if (object == nullptr || object->l_prev == nullptr) return nullptr;
    for (const Block& block : blocks) {
        const void* theirs = exported_variable(*object, block.name);
        if (theirs == nullptr) continue;
        const std::size_t place = place_in(theirs, argument);
        if (place < block.bytes) return static_cast<const char*>(block.ours) + place;
    }
    return nullptr;
}

}  // namespace fmpl::mpi::fortran
