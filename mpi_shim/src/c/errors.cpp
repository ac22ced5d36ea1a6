// Error classes, codes and their texts (MPI-3.1, sections 8.4 and 8.5).
#include "abi/boundary.hpp"
#include "c/text_result.hpp"
#include "environment/error_texts.hpp"

#include <cstring>

using namespace fmpl::mpi;

int PMPI_Error_class(int errorcode, int* errorclass)
{
    return call("MPI_Error_class", [&](Process& process) {
        check_pointer(errorclass, "errorclass");
        *errorclass = code_out(class_of_error(process.environment, code_in(errorcode)));
    });
}
FMPL_MPI_NAME(MPI_Error_class)

int PMPI_Error_string(int errorcode, char* string, int* resultlen)
{
    return call("MPI_Error_string", [&](Process& process) {
        check_pointer(string, "string");
        check_pointer(resultlen, "resultlen");
        give_text(error_string(process.environment, code_in(errorcode)), string, resultlen, MPI_MAX_ERROR_STRING);
    });
}
FMPL_MPI_NAME(MPI_Error_string)

int PMPI_Add_error_class(int* errorclass)
{
    return call("MPI_Add_error_class", [&](Process& process) {
        check_pointer(errorclass, "errorclass");
        *errorclass = code_out(add_error_class(process.environment));
    });
}
FMPL_MPI_NAME(MPI_Add_error_class)

int PMPI_Add_error_code(int errorclass, int* errorcode)
{
    return call("MPI_Add_error_code", [&](Process& process) {
        check_pointer(errorcode, "errorcode");
        *errorcode = code_out(add_error_code(process.environment, code_in(errorclass)));
    });
}
FMPL_MPI_NAME(MPI_Add_error_code)

int PMPI_Add_error_string(int errorcode, const char* string)
{
    return call("MPI_Add_error_string", [&](Process& process) {
        check_pointer(string, "string");
        if (const std::size_t length = std::strlen(string); length >= MPI_MAX_ERROR_STRING) {
            fail(ErrorClass::argument, "string has {} characters; at most {} are allowed", length,
                MPI_MAX_ERROR_STRING - 1);
        }
        set_error_string(process.environment, code_in(errorcode), string);
    });
}
FMPL_MPI_NAME(MPI_Add_error_string)
