// The tables by which the predefined handles of the standard ABI are found.
#include "abi/predefined_index.hpp"
#include "coll/predefined_operations.hpp"
#include "interface/handles.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fmpl::mpi {
namespace {

constexpr HandleNumber number_of(PredefinedOperation operation)
{
    return kOpMax - static_cast<int>(PredefinedOperation::maximum) + static_cast<int>(operation);
}

constexpr std::size_t kCount = 0
#define FMPL_MPI5(kind, name, value, number) +1
#include "abi/mpi5/predefined.def"
#undef FMPL_MPI5
    ;

std::array<HandleNumber, kPredefinedHandles> make_numbers()
{
    std::array<HandleNumber, kPredefinedHandles> numbers;
    numbers.fill(kNoHandle);
#define FMPL_MPI5(kind, name, value, number)     \
    static_assert((value) < kPredefinedHandles); \
    numbers[value] = number;
#include "abi/mpi5/predefined.def"
#undef FMPL_MPI5
    return numbers;
}

// By kind and number: which of them it is. The index gives the value itself.
class Values {
public:
    Values()
    {
#define FMPL_MPI5(kind, name, value, number) add(HandleKind::kind, number, value);
#include "abi/mpi5/predefined.def"
#undef FMPL_MPI5
    }
    // 0 where there is none.
    std::uintptr_t operator()(HandleKind kind, HandleNumber number) const
    {
        const std::size_t value = by_number_[key_of(kind, number)];
        return value == Index::kNone ? 0 : value;
    }

private:
    using Index = PredefinedIndex<kCount>;

    static std::uint64_t key_of(HandleKind kind, HandleNumber number)
    {
        return static_cast<std::uint64_t>(kind) << 32 | static_cast<std::uint32_t>(number);
    }
    void add(HandleKind kind, HandleNumber number, std::size_t value)
    {
        if (number != kNoHandle) by_number_.add(key_of(kind, number), value);
    }

    Index by_number_;
};

// Before what else of this library is made when it is loaded.
[[gnu::init_priority(101)]] const Values kValues;

}  // namespace

[[gnu::init_priority(101)]] const std::array<HandleNumber, kPredefinedHandles> kPredefinedNumbers = make_numbers();

void* predefined_address(HandleKind kind, HandleNumber number)
{
    return reinterpret_cast<void*>(kValues(kind, number));
}

}  // namespace fmpl::mpi
