#include "handles/type_table.hpp"

#include "error.hpp"

#include <cstddef>

namespace fmpl::mpi {
namespace {

TypeObjectPtr make_object(Predefined type)
{
    auto object = std::make_shared<TypeObject>(TypeObject{Datatype::predefined(type)});
    object->commit();
    return object;
}

}  // namespace

void add_predefined_types(BuiltinTypes& builtin, TypeTable& types)
{
    for (const PredefinedInfo& about : all_predefined()) {
        const int slot = builtin_type_slot(handle_of(about.type));
        if (slot >= 0) builtin[static_cast<std::size_t>(slot)] = make_object(about.type);
    }
    // The table gives its numbers in order, and those of mpi.h are its first.
    for (const Predefined pair : {Predefined::float_and_int, Predefined::double_and_int, Predefined::long_and_int,
             Predefined::short_and_int, Predefined::long_double_and_int}) {
        if (types.add(make_object(pair)) != handle_of(pair)) {
            fail(ErrorClass::intern, "the table of types was not empty before {}", info(pair).name);
        }
    }
}

HandleNumber add_type(TypeTable& types, const TypeObjectPtr& type)
{
    return checked_handle(types.add(type), ErrorClass::type, "data types");
}

}  // namespace fmpl::mpi
