// A run of elements of a matrix, in message order, as the three arguments by which MPI describes data: address, count
// and type. A contiguous matrix is so many elements; of a general one with a larger leading dimension the whole is an
// MPI_Type_vector; trapezoidal ones, and parts of a strided matrix, are an indexed type of one block a column.
//
// Matrices of more than kPieceBytes travel in pieces of that size: counts of MPI are 32 bits wide.
#pragma once

#include "../matrix_view.hpp"
#include "communicators.hpp"
#include "element_type.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fmpl::blacs {

inline constexpr std::size_t kPieceBytes = std::size_t{64} << 20;

template <class T>
inline constexpr std::size_t kPieceElements = kPieceBytes / sizeof(T);

class MatrixPiece {
public:
    // The elements first .. first + count - 1; count is at most kPieceElements<T>.
    template <class T>
    MatrixPiece(const MatrixView<T>& a, std::size_t first, std::size_t count)
    {
        if (count == 0 || a.contiguous()) {
            address_ = const_cast<void*>(static_cast<const void*>(count == 0 ? a.data() : a.data() + first));
            count_ = static_cast<int>(count);
            type_ = element_type<T>();
            return;
        }
        address_ = const_cast<void*>(static_cast<const void*>(a.data()));
        count_ = 1;
        owns_type_ = true;
        if (a.general() && count == a.count()) {
            check(MPI_Type_vector(
                a.columns(), a.rows(), static_cast<int>(a.leading_dimension()), element_type<T>(), &type_));
        } else {
            make_indexed(a, first, count);
        }
        check(MPI_Type_commit(&type_));
    }
    ~MatrixPiece()
    {
        if (owns_type_) MPI_Type_free(&type_);
    }
    MatrixPiece(const MatrixPiece&) = delete;
    MatrixPiece& operator=(const MatrixPiece&) = delete;

    // MPI does not write through the address where it only reads the data.
    void* address() const { return address_; }
    int count() const { return count_; }
    MPI_Datatype type() const { return type_; }
    bool contiguous() const { return !owns_type_; }

private:
    template <class T>
    void make_indexed(const MatrixView<T>& a, std::size_t first, std::size_t count)
    {
        std::vector<int> lengths;
        std::vector<MPI_Aint> places;
        a.for_each_stretch(first, count, [&](T* elements, std::size_t length) {
            lengths.push_back(static_cast<int>(length));
            places.push_back(static_cast<MPI_Aint>((elements - a.data()) * static_cast<std::ptrdiff_t>(sizeof(T))));
        });
        check(MPI_Type_create_hindexed(
            static_cast<int>(lengths.size()), lengths.data(), places.data(), element_type<T>(), &type_));
    }

    void* address_ = nullptr;
    int count_ = 0;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool owns_type_ = false;
};

}  // namespace fmpl::blacs
