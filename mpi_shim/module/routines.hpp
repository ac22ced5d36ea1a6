// What the programs that write the modules mpi and mpi_f08 share: the routines of src/fortran/bindings.def as they read
// them, and the generic MPI_SIZEOF.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

struct Routine {
    std::string_view name;
    std::string_view arguments;  // kind, name, kind, name, ...
};

#define FMPL_FORTRAN(name, function, ...) {#name, #__VA_ARGS__},
#define FMPL_FORTRAN_TEXT FMPL_FORTRAN
#define FMPL_FORTRAN_BY(name, function, body, ...) {#name, #__VA_ARGS__},
#define FMPL_FORTRAN_TEXT_BY FMPL_FORTRAN_BY
#define FMPL_FORTRAN_TEXTS_BY FMPL_FORTRAN_BY
#define FMPL_FORTRAN_OLD_BY FMPL_FORTRAN_BY
#define FMPL_FORTRAN_AS(name, body, ...) {#name, #__VA_ARGS__},
inline constexpr Routine kRoutines[] = {
#include "fortran/bindings.def"
};

// What stands between commas and blanks.
inline std::vector<std::string_view> words_of(std::string_view list)
{
    std::vector<std::string_view> words;
    while (!list.empty()) {
        const auto begin = list.find_first_not_of(", ");
        if (begin == std::string_view::npos) break;
        list.remove_prefix(begin);
        words.push_back(list.substr(0, list.find_first_of(", ")));
        list.remove_prefix(words.back().size());
    }
    return words;
}

struct SizedType {
    std::string_view type;
    int kind;
};

#define FMPL_SIZEOF(type, kind, bytes) {#type, kind},
inline constexpr SizedType kSizedTypes[] = {
#include "fortran/sizeof.def"
};

// Writes the interface of MPI_SIZEOF; `result` is what INTEGERs for results are declared as, `ierror` what that is.
inline void write_sizeof(const char* result, const char* ierror)
{
    std::puts("  interface mpi_sizeof");
    for (const SizedType& sized : kSizedTypes) {
        const std::string type(sized.type);
        const std::string kind = std::to_string(sized.kind);
        const std::string declared = type == "character" ? "character(len=*)" : type + "(kind=" + kind + ")";
        std::printf(
            "    subroutine mpi_sizeof_%s%s(x, size, ierror)\n      %s, dimension(..) :: x\n"
            "      %s :: size\n      %s :: ierror\n    end subroutine\n",
            type.c_str(), kind.c_str(), declared.c_str(), result, ierror);
    }
    std::puts("  end interface");
}
