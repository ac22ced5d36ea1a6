// Writes the Fortran module mpi_f08 (MPI-3.1, section 17.1.1) to standard output: the constants of the mpif.h that is
// named, handles and statuses as derived types, and an interface for every routine of src/fortran/bindings.def. Runs in
// the build.
//
// A routine takes the same addresses as its relative of mpif.h, since a handle is a type of one INTEGER, and a status a
// type of as many as the array has. Buffers are of any type and rank; what is not contiguous the compiler copies, so
// that nonblocking calls take contiguous buffers alone (MPI_SUBARRAYS_SUPPORTED is .FALSE.). They are targets, so that
// the compiler knows that a later call may reach them, too.
#include "datatype/predefined.hpp"
#include "routines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Names = std::vector<std::string>;

// A type of handle: in Fortran, in names of routines, and its predefined handles without MPI_.
struct HandleType {
    std::string_view type;
    std::string_view kind;
    Names handles;
};

std::vector<HandleType> handle_types()
{
    std::vector<HandleType> types = {
        {"MPI_Comm", "comm", {"COMM_NULL", "COMM_WORLD", "COMM_SELF"}},
        {"MPI_Datatype", "datatype",
            {"DATATYPE_NULL", "LONG_LONG", "C_FLOAT_COMPLEX", "INTEGER16", "LOGICAL16", "REAL2", "COMPLEX4",
                "CXX_COMPLEX"}},
        {"MPI_Errhandler", "errhandler", {"ERRHANDLER_NULL", "ERRORS_ARE_FATAL", "ERRORS_RETURN", "ERRORS_ABORT"}},
        {"MPI_File", "file", {"FILE_NULL"}},
        {"MPI_Group", "group", {"GROUP_NULL", "GROUP_EMPTY"}},
        {"MPI_Info", "info", {"INFO_NULL", "INFO_ENV"}},
        {"MPI_Message", "message", {"MESSAGE_NULL", "MESSAGE_NO_PROC"}},
        {"MPI_Op", "op",
            {"OP_NULL", "MAX", "MIN", "SUM", "PROD", "LAND", "BAND", "LOR", "BOR", "LXOR", "BXOR", "MINLOC", "MAXLOC",
                "REPLACE", "NO_OP"}},
        {"MPI_Request", "request", {"REQUEST_NULL"}},
        {"MPI_Win", "win", {"WIN_NULL"}},
    };
    for (const fmpl::mpi::PredefinedInfo& about : fmpl::mpi::all_predefined()) {
        types[1].handles.emplace_back(std::string_view(about.name).substr(4));
    }
    return types;
}

// The type of a handle that is an argument of that name.
std::string_view type_of_argument(std::string_view name)
{
    const auto has = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
    if (has("comm") || name == "parent") return "MPI_Comm";
    if (has("type")) return "MPI_Datatype";
    if (has("request")) return "MPI_Request";
    if (has("message")) return "MPI_Message";
    if (has("group")) return "MPI_Group";
    if (has("errhandler")) return "MPI_Errhandler";
    if (has("info")) return "MPI_Info";
    if (has("win")) return "MPI_Win";
    if (name == "fh" || has("file")) return "MPI_File";
    return name == "op" ? "MPI_Op" : "";
}

// What a kind of bindings.def is, with @ for the name and # for the type of a handle. Handles, buffers and procedures
// that a routine changes have no intent: programs pass constants, too, where nothing is changed.
const std::map<std::string_view, std::string_view> kDeclarations = {
    {"Int", "integer, intent(in) :: @"},
    {"IntOut", "integer :: @"},
    {"IndexOut", "integer, intent(out) :: @"},
    {"Ints", "integer :: @(*)"},
    {"Logical", "logical, intent(in) :: @"},
    {"LogicalOut", "logical, intent(out) :: @"},
    {"Logicals", "logical :: @(*)"},
    {"Aint", "integer(kind=MPI_ADDRESS_KIND), intent(in) :: @"},
    {"AintOut", "integer(kind=MPI_ADDRESS_KIND), intent(out) :: @"},
    {"Aints", "integer(kind=MPI_ADDRESS_KIND) :: @(*)"},
    {"Count", "integer(kind=MPI_COUNT_KIND), intent(in) :: @"},
    {"CountOut", "integer(kind=MPI_COUNT_KIND), intent(out) :: @"},
    {"Offset", "integer(kind=MPI_OFFSET_KIND), intent(in) :: @"},
    {"OffsetOut", "integer(kind=MPI_OFFSET_KIND), intent(out) :: @"},
    {"Triples", "integer :: @(3,*)"},
    {"Weights", "integer :: @(*)"},
    {"Handle", "type(#), intent(in) :: @"},
    {"HandleOut", "type(#) :: @"},
    {"Handles", "type(#) :: @(*)"},
    {"Status", "type(MPI_Status) :: @"},
    {"Statuses", "type(MPI_Status) :: @(*)"},
    {"PointerOut", "type(c_ptr), intent(out) :: @"},
    {"Procedure", "external :: @"},
    {"Text", "character(len=*), intent(in) :: @"},
    {"InfoText", "character(len=*), intent(in) :: @"},
    {"Texts", "character(len=*), intent(in) :: @(*)"},
    {"TextOut", "character(len=*), intent(out) :: @"},
    {"Buffer", "type(*), dimension(*), target, asynchronous :: @\n!GCC$ ATTRIBUTES NO_ARG_CHECK :: @"},
};

// What the module has not: the routines that MPI-2.0 deprecated, and a second name of mpif.h's.
const std::set<std::string_view> kLeftOut = {"mpi_keyval_create", "mpi_keyval_free", "mpi_attr_put", "mpi_attr_get",
    "mpi_attr_delete", "mpi_address", "mpi_type_hvector", "mpi_type_hindexed", "mpi_type_struct", "mpi_type_extent",
    "mpi_type_lb", "mpi_type_ub", "mpi_errhandler_create", "mpi_errhandler_set", "mpi_errhandler_get"};

std::string replaced(std::string text, char mark, std::string_view by)
{
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
        text.replace(at, 1, by);
    }
    return text;
}

// Free form allows 132 columns.
std::string joined(const Names& words, std::string_view between)
{
    std::string text;
    std::size_t line = 0;
    for (const std::string& word : words) {
        if (!text.empty()) text += between;
        if (text.size() - line + word.size() > 110) {
            text += "&\n        ";
            line = text.size();
        }
        text += word;
    }
    return text;
}

void write_routine(std::string_view name, std::string_view prefix, const std::vector<std::string_view>& words)
{
    Names arguments;
    std::string declarations;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        const std::string argument(words[i + 1]);
        std::string_view kind = words[i];
        // The old forms have addresses as arguments where the new one gives a pointer.
        if (name == "mpi_buffer_detach" && argument == "buffer_addr") kind = "PointerOut";
        arguments.push_back(argument);
        const auto declaration = kDeclarations.find(kind);
        if (declaration == kDeclarations.end()) {
            std::fprintf(stderr, "write_mpi_f08: %s: the kind of argument %s is unknown\n", std::string(name).c_str(),
                std::string(words[i]).c_str());
            std::exit(1);
        }
        declarations +=
            "      " +
            replaced(replaced(std::string(declaration->second), '#', type_of_argument(argument)), '@', argument) + "\n";
    }
    arguments.emplace_back("ierror");
    const std::string routine = std::string(prefix) + std::string(name);
    std::printf(
        "  interface %s\n    subroutine %s_f08(&\n        %s)\n      import\n%s      integer, optional, intent(out) :: "
        "ierror\n    end subroutine\n  end interface\n",
        routine.c_str(), routine.c_str(), joined(arguments, ", ").c_str(), declarations.c_str());
}

// Of the routines that functions.cpp has: those without ierror.
void write_routines_without_ierror(const std::string& prefix)
{
    std::printf(
        "  interface %smpi_pcontrol\n    subroutine %smpi_pcontrol_f08(level)\n      integer, intent(in) :: "
        "level\n    end subroutine\n  end interface\n",
        prefix.c_str(), prefix.c_str());
    std::printf(
        "  interface %smpi_f_sync_reg\n    subroutine %smpi_f_sync_reg_f08(buf)\n      %s\n    end "
        "subroutine\n  end interface\n",
        prefix.c_str(), prefix.c_str(), replaced(std::string(kDeclarations.at("Buffer")), '@', "buf").c_str());
}

// The subset of mpif.h that the module has otherwise: its constants, and the blocks with their variables.
struct Header {
    std::map<std::string, int> constants;
    std::vector<std::pair<std::string, Names>> blocks;
};

Header read_header(const char* path)
{
    Header header;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::replace_if(
            line.begin(), line.end(),
            [](char c) { return std::string_view("(),=/").find(c) != std::string_view::npos; }, ' ');
        std::istringstream words(line);
        std::string word, name;
        int value = 0;
        words >> word >> name;
        if (word == "PARAMETER" && words >> value) header.constants[name] = value;
        if (word != "COMMON") continue;
        Names variables;
        for (std::string variable; words >> variable;) variables.push_back(variable);
        header.blocks.emplace_back(name, variables);
    }
    return header;
}

void write_types(const Header& header, const std::vector<HandleType>& types)
{
    for (const HandleType& type : types) {
        std::printf("  type, bind(C) :: %s\n    integer :: MPI_VAL\n  end type\n", std::string(type.type).c_str());
    }
    std::puts("  type, bind(C) :: MPI_Status");
    for (int i = 1; i <= header.constants.at("MPI_STATUS_SIZE"); ++i) {
        std::string field = "integer, private :: internal" + std::to_string(i);
        for (const char* const name : {"MPI_SOURCE", "MPI_TAG", "MPI_ERROR"}) {
            if (header.constants.at(name) == i) field = "integer :: " + std::string(name);
        }
        std::printf("    %s\n", field.c_str());
    }
    std::puts("  end type");
    for (const HandleType& type : types) {
        for (const std::string& handle : type.handles) {
            if (header.constants.contains("MPI_" + handle)) {
                std::printf("  type(%s), parameter :: MPI_%s = %s(in_mpif_h_%s)\n", std::string(type.type).c_str(),
                    handle.c_str(), std::string(type.type).c_str(), handle.c_str());
            }
        }
    }
}

bool is_status(const std::string& variable)
{
    return variable == "MPI_STATUS_IGNORE" || variable == "MPI_STATUSES_IGNORE";
}

bool is_weights(const std::string& variable)
{
    return variable == "MPI_UNWEIGHTED" || variable == "MPI_WEIGHTS_EMPTY";
}

// The blocks in which the ignored statuses and the weights lie are declared anew, with those as statuses and arrays.
bool is_declared_anew(const std::pair<std::string, Names>& block)
{
    return std::any_of(block.second.begin(), block.second.end(),
        [](const std::string& variable) { return is_status(variable) || is_weights(variable); });
}

void write_blocks(const Header& header)
{
    std::puts("  type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)");
    for (const auto& block : header.blocks) {
        if (!is_declared_anew(block)) continue;
        for (const std::string& variable : block.second) {
            const char* const array = is_weights(variable) || variable == "MPI_ERRCODES_IGNORE" ? "(1)" : "";
            if (!is_status(variable)) std::printf("  integer :: %s%s\n", variable.c_str(), array);
        }
        const char* const name = block.first.c_str();
        std::printf("  common /%s/ %s\n  save /%s/\n", name, joined(block.second, ", ").c_str(), name);
    }
}

void write_operators(const std::vector<HandleType>& types)
{
    for (const auto& [sign, name] : {std::array{"==", "eq"}, std::array{"/=", "ne"}}) {
        std::printf("  interface operator(%s)\n", sign);
        for (const HandleType& type : types) {
            std::printf(
                "    elemental logical function mpi_%s_%s_f08(a, b)\n      import\n      type(%s), intent(in) :: "
                "a, b\n    end function\n",
                std::string(type.kind).c_str(), name, std::string(type.type).c_str());
        }
        std::puts("  end interface");
    }
}

// The user's functions for attributes and errors of an object: @ is the word for it in names, # its type, % its name as
// an argument.
constexpr const char* kAttributeFunctions = R"(
    subroutine MPI_@_copy_attr_function(old@, @_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
      import
      type(#) :: old@
      integer :: @_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_@_delete_attr_function(%, @_keyval, attribute_val, extra_state, ierror)
      import
      type(#) :: %
      integer :: @_keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine)";
constexpr const char* kErrorFunction = R"(
    subroutine MPI_@_errhandler_function(%, error_code)
      import
      type(#) :: %
      integer :: error_code
    end subroutine)";

void write_functions_of_objects()
{
    const auto write = [](const char* text, std::string_view word, std::string_view type, std::string_view argument) {
        const std::string named = replaced(text, '@', word);
        std::fputs(replaced(replaced(named, '#', type), '%', argument).c_str(), stdout);
    };
    write(kAttributeFunctions, "comm", "MPI_Comm", "comm");
    write(kAttributeFunctions, "type", "MPI_Datatype", "datatype");
    write(kAttributeFunctions, "win", "MPI_Win", "win");
    write(kErrorFunction, "comm", "MPI_Comm", "comm");
    write(kErrorFunction, "win", "MPI_Win", "win");
    write(kErrorFunction, "file", "MPI_File", "file");
}

// The others that a user gives, and the conversions of statuses.
constexpr const char* kOtherProcedures = R"(
    subroutine MPI_User_function(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      import
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      import
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count, ierror
      integer(kind=MPI_OFFSET_KIND) :: position
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
    end subroutine
  end interface

  interface MPI_Status_f2f08
    subroutine mpi_status_f2f08(f_status, f08_status, ierror)
      import
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface MPI_Status_f082f
    subroutine mpi_status_f082f(f08_status, f_status, ierror)
      import
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
)";

}  // namespace

int main(int argc, char** argv)
{
    const Header header = argc == 2 ? read_header(argv[1]) : Header();
    if (!header.constants.contains("MPI_STATUS_SIZE")) {
        std::fputs("write_mpi_f08: give the path of an mpif.h\n", stderr);
        return 2;
    }
    std::vector<HandleType> types = handle_types();
    for (HandleType& type : types) {
        std::sort(type.handles.begin(), type.handles.end());
        type.handles.erase(std::unique(type.handles.begin(), type.handles.end()), type.handles.end());
    }

    std::puts("module mpi_f08_mpif_h\n  implicit none\n  include 'mpif.h'\nend module mpi_f08_mpif_h\n");
    Names otherwise = {"mpi_f08_mpif_h"};
    for (const HandleType& type : types) {
        for (const std::string& handle : type.handles) {
            if (header.constants.contains("MPI_" + handle))
                otherwise.push_back("in_mpif_h_" + handle + " => MPI_" + handle);
        }
    }
    for (const auto& block : header.blocks) {
        if (!is_declared_anew(block)) continue;
        for (const std::string& variable : block.second)
            otherwise.push_back("in_mpif_h_" + variable + " => " + variable);
    }
    std::printf("module mpi_f08\n  use, intrinsic :: iso_c_binding, only: c_ptr\n  use %s\n  implicit none\n\n",
        joined(otherwise, ", ").c_str());
    write_types(header, types);
    write_blocks(header);
    write_operators(types);
    std::fputs("  abstract interface", stdout);
    write_functions_of_objects();
    std::fputs(kOtherProcedures, stdout);
    for (const Routine& routine : kRoutines) {
        if (kLeftOut.contains(routine.name) || routine.name.ends_with("_cptr")) continue;
        const auto words = words_of(routine.arguments);
        write_routine(routine.name, "", words);
        write_routine(routine.name, "p", words);
    }
    write_routines_without_ierror("");
    write_routines_without_ierror("p");
    write_sizeof("integer, intent(out)", "integer, optional, intent(out)");
    std::puts("end module mpi_f08");
    return std::fflush(stdout) == 0 ? 0 : 1;
}
