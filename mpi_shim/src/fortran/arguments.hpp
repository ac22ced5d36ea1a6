// The kinds of arguments of Fortran's routines. All are passed by address; each kind is made of that address, c() is
// what the C function of the same name gets, and the destructor writes back where the two languages differ in what
// they get.
//
// INTEGER is int and LOGICAL is an int of 0 or 1, as gfortran has them without options that change sizes; so arrays of
// these and statuses are passed on as they are.
#pragma once

#include "fortran/handles.hpp"
#include "fortran/sentinels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace fmpl::mpi::fortran {

// INTEGER and the like, for the value.
template <class T>
struct ByValue {
    using Argument = const T*;
    explicit ByValue(Argument argument) : argument_(argument) {}
    T c() const { return *argument_; }

private:
    Argument argument_;
};
using Int = ByValue<MPI_Fint>;
using Logical = ByValue<MPI_Fint>;
using Aint = ByValue<MPI_Aint>;
using Count = ByValue<MPI_Count>;
using Offset = ByValue<MPI_Offset>;

// A variable, or an array of them, that the C function reads or writes.
template <class T>
struct ByAddress {
    using Argument = T*;
    explicit ByAddress(Argument argument) : argument_(argument) {}
    T* c() const { return argument_; }

private:
    Argument argument_;
};
using IntOut = ByAddress<MPI_Fint>;
using LogicalOut = ByAddress<MPI_Fint>;
using AintOut = ByAddress<MPI_Aint>;
using CountOut = ByAddress<MPI_Count>;
using OffsetOut = ByAddress<MPI_Offset>;
using Ints = ByAddress<MPI_Fint>;
using Logicals = ByAddress<MPI_Fint>;
using Aints = ByAddress<MPI_Aint>;
using Triples = ByAddress<MPI_Fint[3]>;
using PointerOut = ByAddress<void>;  // an integer that can hold an address
using Procedure = ByAddress<void>;
using Texts = ByAddress<const char>;  // an array of CHARACTER(*), with one length

// A choice buffer.
struct Buffer {
    using Argument = void*;
    explicit Buffer(Argument argument) : argument_(argument) {}
    void* c() const
    {
        const Sentinel sentinel = sentinel_of(argument_);
        if (sentinel == Sentinel::bottom) return MPI_BOTTOM;
        if (sentinel == Sentinel::in_place) return MPI_IN_PLACE;
        return argument_;
    }

private:
    Argument argument_;
};

// A status or an array of them: programs pass either sentinel for either.
struct Status {
    using Argument = MPI_Fint*;
    explicit Status(Argument argument) : argument_(argument) {}
    MPI_Status* c() const
    {
        if (sentinel_of(argument_) == Sentinel::status_ignore) return MPI_STATUS_IGNORE;
        return reinterpret_cast<MPI_Status*>(argument_);
    }

private:
    Argument argument_;
};
using Statuses = Status;
static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));

// The weights of a distributed graph.
struct Weights {
    using Argument = MPI_Fint*;
    explicit Weights(Argument argument) : argument_(argument) {}
    int* c() const
    {
        const Sentinel sentinel = sentinel_of(argument_);
        if (sentinel == Sentinel::unweighted) return MPI_UNWEIGHTED;
        if (sentinel == Sentinel::weights_empty) return MPI_WEIGHTS_EMPTY;
        return argument_;
    }

private:
    Argument argument_;
};

// The place of a request in an array: Fortran's arrays begin at 1.
struct IndexOut {
    using Argument = MPI_Fint*;
    explicit IndexOut(Argument argument) : argument_(argument) {}
    IndexOut(const IndexOut&) = delete;
    IndexOut& operator=(const IndexOut&) = delete;
    ~IndexOut() { *argument_ = value_ == MPI_UNDEFINED ? MPI_UNDEFINED : value_ + 1; }
    int* c() { return &value_; }

private:
    Argument argument_;
    int value_ = MPI_UNDEFINED;
};

// CHARACTER(*). Its length comes after all other arguments. Blanks at the end do not count.
struct Text {
    using Argument = const char*;
    Text(Argument argument, std::size_t length) : text_(argument, length)
    {
        text_.erase(text_.find_last_not_of(' ') + 1);
    }
    const char* c() const { return text_.c_str(); }

protected:
    std::string text_;
};

// A key or value of an info object: nor do blanks at the beginning (MPI-3.1, chapter 9).
struct InfoText : Text {
    InfoText(Argument argument, std::size_t length) : Text(argument, length)
    {
        text_.erase(0, std::min(text_.find_first_not_of(' '), text_.size()));
    }
};

// Writes a text that may be longer or shorter than there is room: cut, or filled up with blanks.
inline void give_text(char* to, std::size_t room, std::string_view text)
{
    const std::size_t used = std::min(room, text.size());
    std::memcpy(to, text.data(), used);
    std::memset(to + used, ' ', room - used);
}

// CHARACTER(*) for a result, as long as C's longest.
struct TextOut {
    using Argument = char*;
    TextOut(Argument argument, std::size_t room) : argument_(argument), room_(room) {}
    TextOut(const TextOut&) = delete;
    TextOut& operator=(const TextOut&) = delete;
    ~TextOut() { give_text(argument_, room_, text_.c_str()); }
    char* c() { return text_.data(); }

private:
    Argument argument_;
    std::size_t room_;
    std::string text_ = std::string(std::max(MPI_MAX_LIBRARY_VERSION_STRING, MPI_MAX_PORT_NAME), '\0');
};

}  // namespace fmpl::mpi::fortran
