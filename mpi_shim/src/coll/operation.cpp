#include "coll/operation.hpp"

#include "coll/predefined_operations.hpp"
#include "datatype/type_object.hpp"
#include "error.hpp"

#include <algorithm>
#include <limits>

namespace fmpl::mpi {
namespace {

const fmpl_op* find_reduction(int number, const TypeObject& type)
{
    const auto predefined = type.type->predefined_id();
    return predefined ? find_reduction(static_cast<PredefinedOperation>(number), *predefined) : nullptr;
}

}  // namespace

void Operation::check(const TypeObject& type) const
{
    if (!is_predefined() || find_reduction(number_, type) != nullptr) [[likely]]
        return;
    const char* const name = name_of(static_cast<PredefinedOperation>(number_));
    if (number_ > kLastReduction) {
        fail(ErrorClass::op, "op = {} is for one-sided communication alone; give another operation", name);
    }
    if (!type.is_predefined()) {
        fail(ErrorClass::op,
            "op = {} is not defined on datatype, which a constructor made; give a predefined type, or an operation of "
            "MPI_Op_create",
            name);
    }
    fail(ErrorClass::op,
        "op = {} is not defined on datatype = {}; see table 5.9.2 of MPI-3.1 for the types of each operation", name,
        type.type->name());
}

void Operation::apply(
    const void* in, void* inout, std::int64_t count, const TypeObject& type, HandleNumber handle) const
{
    if (is_predefined()) {
        find_reduction(number_, type)->function(in, inout, static_cast<std::size_t>(count));
        return;
    }
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    for (std::int64_t done = 0; done < count; done += kMost) {
        const auto from = static_cast<std::uintptr_t>(done * type.type->extent());
        function_(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(in) + from),
            reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(inout) + from),
            static_cast<int>(std::min(count - done, kMost)), handle);
    }
}

const fmpl_op* Operation::fmpl_form(const TypeObject& type) const
{
    return is_predefined() && type.type->is_contiguous() ? find_reduction(number_, type) : nullptr;
}

}  // namespace fmpl::mpi
