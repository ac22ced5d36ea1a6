// The same in C++.
#include "sums.c"
