#include "cg_kernel.hpp"

int main(int argc, char** argv)
{
    return fmpl::npb::run_program({"CG", "largest eigenvalue of a sparse matrix by conjugate gradients"}, argc, argv,
        [] { return fmpl::npb::Program{fmpl::npb::cg::cg_kernel}; });
}
