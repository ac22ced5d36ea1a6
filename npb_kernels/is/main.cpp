#include "is_kernel.hpp"

int main(int argc, char** argv)
{
    return fmpl::npb::run_program(
        {"IS", "ranking of integer keys"}, argc, argv, [] { return fmpl::npb::Program{fmpl::npb::is::is_kernel}; });
}
