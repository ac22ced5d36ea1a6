// What a data type handle stands for: a type, its compiled layout once it is committed, and its attributes.
#pragma once

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"

#include <memory>

namespace fmpl::mpi {

class Attributes;

struct TypeObject {
    DatatypePtr type;
    std::shared_ptr<const Layout> layout{};    // null until committed; predefined types are
    std::shared_ptr<Attributes> attributes{};  // null: none
    // Bytes of one, when it begins where the buffer does and any number of them is one piece, as most are; else 0.
    std::uint32_t dense_bytes = 0;
    // Bytes of each of its basic elements, where they are alike; else 0.
    std::uint32_t element_bytes = 0;

    void commit()
    {
        if (layout != nullptr) return;
        layout = Layout::compile(*type);
        const bool dense = type->is_contiguous() && type->true_lower_bound() == 0 && type->size() <= kLargestDense;
        dense_bytes = dense ? static_cast<std::uint32_t>(type->size()) : 0;
        const Signature& signature = type->signature();
        element_bytes = signature.uniform() ? static_cast<std::uint32_t>(type->size() / signature.elements()) : 0;
    }

    bool is_predefined() const { return type->predefined_id().has_value(); }

private:
    static constexpr std::int64_t kLargestDense = std::int64_t{1} << 31;  // times any int fits 64 bits
};
using TypeObjectPtr = std::shared_ptr<TypeObject>;

}  // namespace fmpl::mpi
