// A program whose ranks may share a process, and call the MPI and the BLACS.
#include "api/layers_in_turns.hpp"

#include <fmpl/fmpl.hpp>

FMPL_RANKS_MAY_SHARE_A_PROCESS;

int main()
{
    return fmpl::run_process([] {
        layers_in_turns::run_rank(layers_in_turns::Layers::both);
        return 0;
    });
}
