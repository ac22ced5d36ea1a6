// Combine operations over a scope: element-wise sum, and the element largest or smallest in absolute value.
//
// All are fmpl_reduce or fmpl_allreduce, whose result depends neither on the order of arrival nor, for all, on the
// process: repeatable and coherent without being asked. Contiguous matrices are combined in place. On processes that do
// not get the result, the matrix of a sum is unspecified afterwards.
#pragma once

#include "../combine_semantics.hpp"
#include "../process.hpp"

#include <fmpl.h>

#include <complex>

namespace fmpl::blacs {

template <class T>
fmpl_op_t sum_op();
template <>
inline fmpl_op_t sum_op<std::int32_t>()
{
    return FMPL_SUM_INT32;
}
template <>
inline fmpl_op_t sum_op<float>()
{
    return FMPL_SUM_FLOAT;
}
template <>
inline fmpl_op_t sum_op<double>()
{
    return FMPL_SUM_DOUBLE;
}
template <>
inline fmpl_op_t sum_op<std::complex<float>>()
{
    return FMPL_SUM_COMPLEX;
}
template <>
inline fmpl_op_t sum_op<std::complex<double>>()
{
    return FMPL_SUM_DOUBLE_COMPLEX;
}

template <class E, Extreme extreme>
inline constexpr fmpl_op kExtremeOp{&keep_extreme<E, extreme>, sizeof(E),
    extreme == Extreme::absolute_maximum ? "absolute maximum" : "absolute minimum", 0, nullptr};

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
    if (scope.size == 1) return;
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
    combine_elements(process, scope, a, sum_op<T>(), destination);
}

template <class T, Extreme extreme>
void find_extreme(Process& process, const Context& context, const Scope& scope, const MatrixView<T>& a,
    const Winners& winners, int destination)
{
    const std::size_t count = a.count();
    if (winners.row == nullptr || count == 0) {
        combine_elements(process, scope, a, &kExtremeOp<T, extreme>, destination);
        return;
    }
    Candidate<T>* candidates = process.workspace().reserve<Candidate<T>>(2 * count);
    enter_candidates(a, context.grid(), candidates);
    if (scope.size > 1) {
        reduce(candidates, count, &kExtremeOp<Candidate<T>, extreme>, destination, scope, candidates + count);
    }
    if (gets_result(scope, destination)) take_winners(candidates, context.grid(), a, winners);
}

}  // namespace fmpl::blacs
