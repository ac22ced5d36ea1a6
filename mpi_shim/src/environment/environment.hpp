// What one rank keeps for the calls of MPI-3.1, chapters 8 and 9: the values of the predefined attributes, the user's
// error codes, info objects, and which memory of MPI_Alloc_mem lies where.
#pragma once

#include "environment/info.hpp"

#include <fmpl/layers.h>

#include <climits>
#include <map>
#include <string>
#include <unordered_map>

namespace fmpl::mpi {

struct Environment {
    // Programs get the addresses of these (section 8.1.2).
    int tag_upper_bound = INT_MAX;
    int host = kProcNull;                 // none of the ranks is special; in the interface's number
    int io = kProcNull;                   // files are left out; likewise
    int wtime_is_global = 1;              // one clock, the host's
    int universe_size = fmpl_job_size();  // none can be added

    int last_used_code = code_of(ErrorClass::last_code);

    // Classes and codes of the user's (MPI_Add_error_class, _code, _string): text and class by code.
    struct UserError {
        int error_class;
        std::string text;
    };
    std::map<int, UserError> user_errors;

    InfoLimits info_limits = {255, 1024};  // of the interface
    InfoTable infos;
    InfoPtr info;  // MPI_INFO_ENV; null until asked for
    int thread_level = kThreadSingle;
    bool has_warned_of_files = false;  // that they are not there yet, on standard error

    enum class Origin { remote_dma, heap };
    std::unordered_map<void*, Origin> allocated;  // by MPI_Alloc_mem, not freed yet
};

// An attribute that MPI itself has set on every communicator (section 8.1.2), as keyvals of C or of Fortran name it:
// a pointer to an int of `environment`; null when `keyval` is one of those but not set.
struct PredefinedAttribute {
    bool is_predefined = false;
    const int* value = nullptr;
};
PredefinedAttribute predefined_attribute(const Environment& environment, int keyval);
bool is_predefined_attribute(int keyval);

}  // namespace fmpl::mpi
