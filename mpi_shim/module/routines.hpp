// The routines of src/fortran/bindings.def, as the programs that write the modules mpi and mpi_f08 read them.
#pragma once

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
