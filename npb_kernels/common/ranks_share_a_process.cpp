// For programs over FMPL: a kernel keeps nothing outside of its ranks, and its ranks wait for each other in FMPL alone.
#include <fmpl/fmpl.hpp>

FMPL_RANKS_MAY_SHARE_A_PROCESS;
