// How a row of bindings.def becomes functions: mpi_send_, which calls MPI_Send, so that a C tool that takes the place
// of MPI_Send sees Fortran's calls too; and pmpi_send_, which calls PMPI_Send. mpi_send_ is weak, for tools in
// Fortran.
//
// FMPL_FORTRAN(mpi_send, MPI_Send, Buffer, buf, Int, count, ...)
//     passes each argument on as its kind says (arguments.hpp) and writes the result to ierror. The first argument is
//     the length of arrays of handles.
// FMPL_FORTRAN_TEXT(...)
//     the same; one of the arguments is a text, whose length comes last.
// FMPL_FORTRAN_BY(mpi_waitsome, MPI_Waitsome, waitsome, Int, incount, ...)
//     calls waitsome<MPI_Waitsome>(incount, ..., ierror), or waitsome<PMPI_Waitsome>: addresses as Fortran passes them.
// FMPL_FORTRAN_TEXT_BY(...), FMPL_FORTRAN_TEXTS_BY(...)
//     the same with one text, or two, whose lengths come last.
// FMPL_FORTRAN_AS(mpi_attr_get, attr_get, Handle, comm, ...)
//     calls attr_get(comm, ..., ierror) for both names.
//
// The module mpi_f08 calls the same functions, by names of its own: mpi_send_f08_, pmpi_send_f08_. But for
// FMPL_FORTRAN_OLD_BY(...)
//     which is FMPL_FORTRAN_BY of what has another form there (functions.cpp).
#pragma once

#include "fortran/arguments.hpp"

#include <type_traits>

namespace fmpl::mpi::fortran {

template <class Kind>
Kind argument_as(typename Kind::Argument argument, [[maybe_unused]] std::size_t text_length = 0)
{
    if constexpr (std::is_constructible_v<Kind, typename Kind::Argument, std::size_t>) {
        return Kind(argument, text_length);
    } else {
        return Kind(argument);
    }
}

// The kinds write back when they end, at the end of the caller's expression: after the call.
template <class Function, class... Kinds>
void pass_on(Function* function, MPI_Fint* ierror, Kinds&&... kinds)
{
    *ierror = function(kinds.c()...);
}
// Arrays of handles are as long as the first argument says.
template <class Function, class... Kinds>
void pass_on(Function* function, MPI_Fint* ierror, Int&& count, Kinds&&... kinds)
{
    const auto tell = [&](auto& kind) {
        if constexpr (std::is_same_v<std::remove_reference_t<decltype(kind)>, Handles>) kind.count_is(count.c());
    };
    (tell(kinds), ...);
    *ierror = function(count.c(), kinds.c()...);
}

}  // namespace fmpl::mpi::fortran

// Repeats macro(kind, name) for each pair of what follows.
#define FMPL_RESCAN(...) FMPL_RESCAN_4(FMPL_RESCAN_4(FMPL_RESCAN_4(FMPL_RESCAN_4(__VA_ARGS__))))
#define FMPL_RESCAN_4(...) FMPL_RESCAN_1(FMPL_RESCAN_1(FMPL_RESCAN_1(FMPL_RESCAN_1(__VA_ARGS__))))
#define FMPL_RESCAN_1(...) __VA_ARGS__
#define FMPL_PAIRS(macro, ...) __VA_OPT__(FMPL_RESCAN(FMPL_PAIR(macro, __VA_ARGS__)))
#define FMPL_PAIR(macro, kind, name, ...) \
    macro(kind, name) __VA_OPT__(FMPL_NEXT_PAIR FMPL_PARENTHESES(macro, __VA_ARGS__))
#define FMPL_NEXT_PAIR() FMPL_PAIR
#define FMPL_PARENTHESES ()

#define FMPL_PARAMETER(kind, name) fmpl::mpi::fortran::kind::Argument name,
#define FMPL_PASSED(kind, name) , fmpl::mpi::fortran::argument_as<fmpl::mpi::fortran::kind>(name)
#define FMPL_PASSED_TEXT(kind, name) , fmpl::mpi::fortran::argument_as<fmpl::mpi::fortran::kind>(name, length)
#define FMPL_NAMED(kind, name) name,

#define FMPL_OPEN(...) __VA_ARGS__
#define FMPL_WEAK __attribute__((weak))
// In the module mpi_f08 ierror may be missing.
#define FMPL_DEFINE_ALONE(attribute, name, lengths, statement, ...)                        \
    extern "C" attribute void name##_(                                                     \
        FMPL_PAIRS(FMPL_PARAMETER, __VA_ARGS__) MPI_Fint* wanted_ierror FMPL_OPEN lengths) \
    {                                                                                      \
        using namespace fmpl::mpi::fortran;                                                \
        MPI_Fint unwanted = 0;                                                             \
        MPI_Fint* const ierror = wanted_ierror != nullptr ? wanted_ierror : &unwanted;     \
        FMPL_OPEN statement;                                                               \
    }
// Also under the name that the module mpi_f08 calls: mpi_send_f08_.
#define FMPL_DEFINE(attribute, name, lengths, statement, ...)           \
    FMPL_DEFINE_ALONE(attribute, name, lengths, statement, __VA_ARGS__) \
    extern "C" __attribute__((weak, alias(#name "_"))) decltype(name##_) name##_f08_;

#define FMPL_LENGTH (, std::size_t length)
#define FMPL_LENGTHS (, std::size_t length1, std::size_t length2)

#define FMPL_PASS(attribute, name, function, lengths, passed, ...) \
    FMPL_DEFINE(attribute, name, lengths, (pass_on(function, ierror FMPL_PAIRS(passed, __VA_ARGS__))), __VA_ARGS__)
#define FMPL_FORTRAN(name, function, ...)                              \
    FMPL_PASS(FMPL_WEAK, name, function, (), FMPL_PASSED, __VA_ARGS__) \
    FMPL_PASS(, p##name, P##function, (), FMPL_PASSED, __VA_ARGS__)
#define FMPL_FORTRAN_TEXT(name, function, ...)                                       \
    FMPL_PASS(FMPL_WEAK, name, function, FMPL_LENGTH, FMPL_PASSED_TEXT, __VA_ARGS__) \
    FMPL_PASS(, p##name, P##function, FMPL_LENGTH, FMPL_PASSED_TEXT, __VA_ARGS__)

#define FMPL_FORTRAN_BY(name, function, body, ...)                                                              \
    FMPL_DEFINE(FMPL_WEAK, name, (), (body<function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror)), __VA_ARGS__) \
    FMPL_DEFINE(, p##name, (), (body<P##function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror)), __VA_ARGS__)
#define FMPL_FORTRAN_TEXT_BY(name, function, body, ...)                                                             \
    FMPL_DEFINE(FMPL_WEAK, name, FMPL_LENGTH, (body<function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror, length)), \
        __VA_ARGS__)                                                                                                \
    FMPL_DEFINE(                                                                                                    \
        , p##name, FMPL_LENGTH, (body<P##function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror, length)), __VA_ARGS__)
#define FMPL_FORTRAN_TEXTS_BY(name, function, body, ...)                                             \
    FMPL_DEFINE(FMPL_WEAK, name, FMPL_LENGTHS,                                                       \
        (body<function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror, length1, length2)), __VA_ARGS__) \
    FMPL_DEFINE(, p##name, FMPL_LENGTHS,                                                             \
        (body<P##function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror, length1, length2)), __VA_ARGS__)

#define FMPL_FORTRAN_AS(name, body, ...)                                                              \
    FMPL_DEFINE(FMPL_WEAK, name, (), (body(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror)), __VA_ARGS__) \
    FMPL_DEFINE(, p##name, (), (body(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror)), __VA_ARGS__)
#define FMPL_FORTRAN_OLD_BY(name, function, body, ...)                                                                \
    FMPL_DEFINE_ALONE(FMPL_WEAK, name, (), (body<function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror)), __VA_ARGS__) \
    FMPL_DEFINE_ALONE(, p##name, (), (body<P##function>(FMPL_PAIRS(FMPL_NAMED, __VA_ARGS__) ierror)), __VA_ARGS__)
