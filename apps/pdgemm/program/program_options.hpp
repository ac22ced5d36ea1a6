// The command line of pdgemm.fmpl.
#pragma once

#include "../../options_end.hpp"

#include <complex>
#include <cstdint>
#include <string>

namespace fmpl::pdgemm {

struct Pair {
    int rows;
    int columns;
};

// How one matrix lies on the grid, and where its submatrix begins in it.
struct MatrixOptions {
    Pair block;
    Pair offset;  // rows and columns before the submatrix; as many follow it
    Pair source;  // the process that has the first block
};

struct ProgramOptions {
    int m = 640;
    int n = 640;
    int k = 640;
    Pair grid{0, 0};
    MatrixOptions a{};
    MatrixOptions b{};
    MatrixOptions c{};
    char transa = 'N';  // as given: the library takes lower case too
    char transb = 'N';
    char type = 'd';
    std::complex<double> alpha = 1.0;
    std::complex<double> beta = 0.0;
    int leading_dimension_pad = 0;
    std::string algorithm;  // auto, summa, direct; empty: as FMPL_PDGEMM_ALGORITHM says
    int reps = 20;
    bool verify = false;
    std::uint64_t seed = 1;
    std::string json_file;
};

using command_line::OptionsEnd;

// Local; throws OptionsEnd. `processes`: the size of the job, which the grid must not exceed.
ProgramOptions read_options(int argc, const char* const* argv, int processes);

}  // namespace fmpl::pdgemm
