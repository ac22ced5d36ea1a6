// Which MPI this is (MPI-3.1, section 8.1.1). These calls may be made before MPI_Init and after MPI_Finalize.
#include "abi/boundary.hpp"
#include "c/text_result.hpp"

#include <fmpl.h>

#include <fmt/format.h>

using namespace fmpl::mpi;

namespace {

// An argument that is null: without MPI_Init there may be no rank to tell.
int fail_null(const char* name, const char* argument)
{
    const std::string words = fmt::format("{} is a null pointer; give the address of a variable", argument);
    return handle_error(name, kCommNull, code_of(ErrorClass::argument), words.c_str());
}

}  // namespace

int PMPI_Get_version(int* version, int* subversion)
{
    if (version == nullptr) return fail_null("MPI_Get_version", "version");
    if (subversion == nullptr) return fail_null("MPI_Get_version", "subversion");
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_Get_version)

int PMPI_Get_library_version(char* version, int* resultlen)
{
    if (version == nullptr) return fail_null("MPI_Get_library_version", "version");
    if (resultlen == nullptr) return fail_null("MPI_Get_library_version", "resultlen");
    const std::string words = fmt::format("MPI {}.{} over FMPL {}.{}.{}, in the binary interface of {}", MPI_VERSION,
        MPI_SUBVERSION, FMPL_VERSION_MAJOR, FMPL_VERSION_MINOR, FMPL_VERSION_PATCH, kInterface);
    give_text(words, version, resultlen, MPI_MAX_LIBRARY_VERSION_STRING);
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_Get_library_version)
