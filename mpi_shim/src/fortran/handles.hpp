// Handles as arguments of Fortran's routines: INTEGERs, where C has what the interface's mpi.h says. Which type the C
// function wants is known where the argument becomes its parameter: hence the conversions to any.
#pragma once

#include "interface/handles.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

namespace fmpl::mpi::fortran {

// Whether C's handle is the same INTEGER, so that addresses are passed on as they are.
template <class Users>
inline constexpr bool kIsFortrans = std::is_same_v<Users, MPI_Fint>;

template <class Users>
inline Users in_c(MPI_Fint handle)
{
    return handle_for<Users>(number_of_fortran<Users>(handle));
}
template <class Users>
inline MPI_Fint in_fortran(Users handle)
{
    return fortran_for<Users>(number_of(handle));
}

struct Handle {
    using Argument = const MPI_Fint*;
    struct Value {
        MPI_Fint fortran;
        template <class Users>
        operator Users() const
        {
            return in_c<Users>(fortran);
        }
    };
    explicit Handle(Argument argument) : argument_(argument) {}
    Value c() const { return {*argument_}; }

private:
    Argument argument_;
};

// Handles that the C function reads, and perhaps writes: C's own, as long as this lives.
class HandlesInC {
public:
    HandlesInC(MPI_Fint* fortran, std::size_t count) : fortran_(fortran), count_(count) {}
    HandlesInC(const HandlesInC&) = delete;
    HandlesInC& operator=(const HandlesInC&) = delete;
    ~HandlesInC()
    {
        if (write_back_ != nullptr) write_back_(*this);
    }

    // Written back at the end, unless the C function only reads them: then they may be constants.
    template <class ReadOrWritten>
    ReadOrWritten* as()
    {
        using Users = std::remove_const_t<ReadOrWritten>;
        if constexpr (kIsFortrans<Users>) {
            return fortran_;
        } else {
            static_assert(sizeof(Users) == sizeof(void*));
            if (count_ > few_.size()) many_ = std::make_unique_for_overwrite<void*[]>(count_);
            void** const place = many_ != nullptr ? many_.get() : few_.data();
            for (std::size_t i = 0; i < count_; ++i) place[i] = in_c<Users>(fortran_[i]);
            if constexpr (!std::is_const_v<ReadOrWritten>) {
                write_back_ = [](HandlesInC& self) {
                    void** const from = self.many_ != nullptr ? self.many_.get() : self.few_.data();
                    for (std::size_t i = 0; i < self.count_; ++i) {
                        self.fortran_[i] = in_fortran(static_cast<Users>(from[i]));
                    }
                };
            }
            return reinterpret_cast<Users*>(place);
        }
    }

private:
    MPI_Fint* fortran_;
    std::size_t count_;
    std::array<void*, 8> few_;
    std::unique_ptr<void*[]> many_;
    void (*write_back_)(HandlesInC&) = nullptr;
};

struct HandleArray {
    HandlesInC& handles;
    template <class Users>
    operator Users*() const
    {
        return handles.as<Users>();
    }
};

// A variable.
struct HandleOut {
    using Argument = MPI_Fint*;
    explicit HandleOut(Argument argument) : handles_(argument, 1) {}
    HandleArray c() { return {handles_}; }

private:
    HandlesInC handles_;
};

// An array of handles, as long as count_is() says: the first argument of the call does (define.hpp).
struct Handles {
    using Argument = MPI_Fint*;
    explicit Handles(Argument argument) : argument_(argument) {}
    void count_is(MPI_Fint count) { count_ = count > 0 ? static_cast<std::size_t>(count) : 0; }
    HandleArray c() { return {handles_.emplace(argument_, count_)}; }

private:
    Argument argument_;
    std::size_t count_ = 0;
    std::optional<HandlesInC> handles_;
};

}  // namespace fmpl::mpi::fortran
