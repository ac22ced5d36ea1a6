// The searches for an extreme as operations of MPI, and the types that they work on besides the plain ones. Each is
// made when it is first asked for and kept until the process leaves.
//
// The operations are not commutative, so that MPI applies them in the order of ranks: the left operand wins a tie.
#pragma once

#include "../extreme.hpp"
#include "communicators.hpp"
#include "element_type.hpp"

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fmpl::blacs {

class OperationTable {
public:
    OperationTable()
    {
        extremes_.fill(MPI_OP_NULL);
        candidate_extremes_.fill(MPI_OP_NULL);
        candidates_.fill(MPI_DATATYPE_NULL);
    }
    OperationTable(const OperationTable&) = delete;
    OperationTable& operator=(const OperationTable&) = delete;

    // On elements of type element_type<T>().
    template <class T, Extreme extreme>
    MPI_Op find_extreme()
    {
        return made<T, extreme>(extremes_[place<T, extreme>()]);
    }
    // On elements of type candidate<T>().
    template <class T, Extreme extreme>
    MPI_Op find_extreme_candidate()
    {
        return made<Candidate<T>, extreme>(candidate_extremes_[place<T, extreme>()]);
    }
    template <class T>
    MPI_Datatype candidate()
    {
        MPI_Datatype& type = candidates_[place<T>()];
        if (type == MPI_DATATYPE_NULL) {
            check(MPI_Type_contiguous(sizeof(Candidate<T>), MPI_BYTE, &type));
            check(MPI_Type_commit(&type));
        }
        return type;
    }

    void free()
    {
        for (auto* table : {&extremes_, &candidate_extremes_}) {
            for (MPI_Op& op : *table) {
                if (op != MPI_OP_NULL) check(MPI_Op_free(&op));
            }
        }
        for (MPI_Datatype& type : candidates_) {
            if (type != MPI_DATATYPE_NULL) check(MPI_Type_free(&type));
        }
    }

private:
    static constexpr std::size_t kTypes = 5;

    template <class T>
    static constexpr std::size_t place()
    {
        if constexpr (std::is_same_v<T, std::int32_t>) return 0;
        if constexpr (std::is_same_v<T, float>) return 1;
        if constexpr (std::is_same_v<T, double>) return 2;
        if constexpr (std::is_same_v<T, std::complex<float>>) return 3;
        return 4;
    }
    template <class T, Extreme extreme>
    static constexpr std::size_t place()
    {
        return place<T>() + (extreme == Extreme::absolute_maximum ? 0 : kTypes);
    }

    template <class E, Extreme extreme>
    static MPI_Op made(MPI_Op& op)
    {
        if (op == MPI_OP_NULL) {
            constexpr MPI_User_function* run = [](void* in, void* inout, int* count, MPI_Datatype*) {
                keep_extreme<E, extreme>(in, inout, static_cast<std::size_t>(*count));
            };
            check(MPI_Op_create(run, 0, &op));
        }
        return op;
    }

    std::array<MPI_Op, 2 * kTypes> extremes_;
    std::array<MPI_Op, 2 * kTypes> candidate_extremes_;
    std::array<MPI_Datatype, kTypes> candidates_;
};

}  // namespace fmpl::blacs
