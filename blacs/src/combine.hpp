// Combine operations over a scope: element-wise sum, and the element largest or smallest in absolute value.
//
// All are fmpl_reduce or fmpl_allreduce, whose result depends neither on the order of arrival nor, for all, on the
// process: repeatable and coherent without being asked. Contiguous matrices are combined in place. On processes that do not
// get the result, the matrix of a sum is unspecified afterwards.
//
// Of several elements with the same absolute value the one of the smallest process number wins: FMPL hands the operation
// its left operand from the lower ranks, and the left one wins a tie.
#pragma once

#include "element.hpp"
#include "error.hpp"
#include "matrix_view.hpp"
#include "process.hpp"

#include <cstdint>

namespace fmpl::blacs {

// As the destination: all processes of the scope.
inline constexpr int kToAll = -1;

inline bool gets_result(const Scope& scope, int destination)
{
    return destination == kToAll || destination == scope.rank;
}

inline void reduce(void* data, std::size_t count, fmpl_op_t op, int destination, const Scope& scope, void* work)
{
    if (destination == kToAll) {
        check(fmpl_allreduce(data, count, op, scope.comm, work));
    } else {
        check(fmpl_reduce(data, count, op, destination, scope.comm, work));
    }
}

// Combines element by element with an operation on T.
template <class T>
void combine_elements(Process& process, const Scope& scope, const MatrixView<T>& a, fmpl_op_t op, int destination)
{
    if (scope.size == 1 || a.count() == 0) return;
    if (a.contiguous()) {
        reduce(a.data(), a.count(), op, destination, scope, process.workspace().reserve<T>(a.count()));
        return;
    }
    T* packed = process.workspace().reserve<T>(2 * a.count());
    a.pack(packed);
    reduce(packed, a.count(), op, destination, scope, packed + a.count());
    if (gets_result(scope, destination)) a.unpack(packed, a.count());
}

template <class T>
void sum(Process& process, const Scope& scope, const MatrixView<T>& a, int destination)
{
    combine_elements(process, scope, a, Element<T>::sum(), destination);
}

enum class Extreme { absolute_maximum, absolute_minimum };

// An element and the process that it comes from, by its number in the grid.
template <class T>
struct Candidate {
    T value;
    std::int32_t process;
};

template <class T>
auto magnitude(const T& x)
{
    return Element<T>::magnitude(x);
}
template <class T>
auto magnitude(const Candidate<T>& x)
{
    return Element<T>::magnitude(x.value);
}

template <class E, Extreme extreme>
void keep_extreme(const void* in, void* inout, std::size_t count)
{
    const E* lower = static_cast<const E*>(in);
    E* kept = static_cast<E*>(inout);
    for (std::size_t i = 0; i < count; ++i) {
        const auto a = magnitude(lower[i]);
        const auto b = magnitude(kept[i]);
        if (extreme == Extreme::absolute_maximum ? a >= b : a <= b) kept[i] = lower[i];
    }
}

template <class E, Extreme extreme>
inline constexpr fmpl_op kExtremeOp{&keep_extreme<E, extreme>, sizeof(E),
    extreme == Extreme::absolute_maximum ? "absolute maximum" : "absolute minimum"};

// The coordinates of the winners, for the processes that get the result. None when row is null.
struct Winners {
    int* row = nullptr;
    int* column = nullptr;
    std::ptrdiff_t leading_dimension = 0;
};

template <class T, Extreme extreme>
void find_extreme(Process& process, const Context& context, const Scope& scope, const MatrixView<T>& a, Winners winners,
    int destination)
{
    if (winners.row == nullptr) {
        combine_elements(process, scope, a, &kExtremeOp<T, extreme>, destination);
        return;
    }
    const std::size_t count = a.count();
    if (count == 0) return;
    Candidate<T>* candidates = process.workspace().reserve<Candidate<T>>(2 * count);
    const ProcessGrid& grid = context.grid();
    const std::int32_t me = grid.my_number();
    a.for_each([&](int i, int j, std::size_t k) { candidates[k] = {a.at(i, j), me}; });
    if (scope.size > 1) {
        reduce(candidates, count, &kExtremeOp<Candidate<T>, extreme>, destination, scope, candidates + count);
    }
    if (!gets_result(scope, destination)) return;
    a.for_each([&](int i, int j, std::size_t k) {
        a.at(i, j) = candidates[k].value;
        const std::ptrdiff_t place = i + winners.leading_dimension * j;
        winners.row[place] = grid.row_of(candidates[k].process);
        winners.column[place] = grid.column_of(candidates[k].process);
    });
}

}  // namespace fmpl::blacs
