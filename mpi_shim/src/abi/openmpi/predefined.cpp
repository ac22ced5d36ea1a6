// Open MPI's predefined objects, of which only the addresses and the sizes mean something, and the tables by which
// handles are found.
#include "abi/predefined_index.hpp"
#include "coll/predefined_operations.hpp"
#include "interface/handles.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

// In C's names, since the types that mpi.h gives them are never completed.
#define FMPL_OPENMPI(kind, symbol, bytes, fortran, number)      \
    extern "C" {                                                \
    extern unsigned char fmpl_##symbol[bytes] __asm__(#symbol); \
    alignas(32) unsigned char fmpl_##symbol[bytes] = {};        \
    }
#include "abi/openmpi/predefined.def"
#undef FMPL_OPENMPI

namespace fmpl::mpi {
namespace {

constexpr HandleNumber number_of(PredefinedOperation operation)
{
    return kOpMax - static_cast<int>(PredefinedOperation::maximum) + static_cast<int>(operation);
}

struct Object {
    HandleKind kind;
    void* address;
    MPI_Fint fortran;
    HandleNumber number;
};

constexpr std::size_t kCount = 0
#define FMPL_OPENMPI(kind, symbol, bytes, fortran, number) +1
#include "abi/openmpi/predefined.def"
#undef FMPL_OPENMPI
    ;

using Index = PredefinedIndex<kCount>;

// All of them. Made when the program is loaded: then the addresses are known.
class Objects {
public:
    Objects()
    {
        for (std::size_t place = 0; place < kCount; ++place) {
            const Object& object = all_[place];
            by_address_.add(reinterpret_cast<std::uint64_t>(object.address), place);
            if (object.number != kNoHandle) by_number_.add(key_of(object.kind, object.number), place);
            if (object.fortran >= 0) by_fortran_.add(key_of(object.kind, object.fortran), place);
        }
    }

    // Null where there is none.
    const Object* at(const void* address) const
    {
        return object(by_address_[reinterpret_cast<std::uint64_t>(address)]);
    }
    const Object* with_number(HandleKind kind, HandleNumber number) const
    {
        return object(by_number_[key_of(kind, number)]);
    }
    const Object* with_fortran(HandleKind kind, MPI_Fint fortran) const
    {
        return object(by_fortran_[key_of(kind, fortran)]);
    }

private:
    static std::uint64_t key_of(HandleKind kind, int number)
    {
        return static_cast<std::uint64_t>(kind) << 32 | static_cast<std::uint32_t>(number);
    }
    const Object* object(std::size_t place) const { return place == Index::kNone ? nullptr : &all_[place]; }

#define FMPL_OPENMPI(kind, symbol, bytes, fortran, number) Object{HandleKind::kind, fmpl_##symbol, fortran, number},
    const std::array<Object, kCount> all_ = {{
#include "abi/openmpi/predefined.def"
    }};
#undef FMPL_OPENMPI
    Index by_address_;
    Index by_number_;
    Index by_fortran_;
};

// Before what else of this library is made when it is loaded.
[[gnu::init_priority(101)]] const Objects kObjects;

}  // namespace

HandleNumber predefined_number(const void* address)
{
    const Object* const found = kObjects.at(address);
    return found != nullptr ? found->number : kNoHandle;
}

void* predefined_address(HandleKind kind, HandleNumber number)
{
    const Object* const found = kObjects.with_number(kind, number);
    return found != nullptr ? found->address : nullptr;
}

HandleNumber predefined_number_of_fortran(HandleKind kind, MPI_Fint fortran)
{
    const Object* const found = kObjects.with_fortran(kind, fortran);
    return found != nullptr ? found->number : kNoHandle;
}

MPI_Fint predefined_fortran(HandleKind kind, HandleNumber number)
{
    const Object* const found = kObjects.with_number(kind, number);
    return found != nullptr ? found->fortran : -1;
}

}  // namespace fmpl::mpi
