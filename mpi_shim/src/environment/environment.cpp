#include "environment/environment.hpp"

#include <optional>

namespace fmpl::mpi {
namespace {

using Value = int Environment::*;

// Where the value of a predefined attribute is; null for one that is not set, none where `keyval` is another attribute.
std::optional<Value> value_of(int keyval)
{
    // C's keyvals are odd; Fortran's are the next numbers.
    const int in_c = (keyval - 1) | 1;
    switch (in_c) {
        case kTagUb:
            return &Environment::tag_upper_bound;
        case kHost:
            return &Environment::host;
        case kIo:
            return &Environment::io;
        case kWtimeIsGlobal:
            return &Environment::wtime_is_global;
        case kUniverseSize:
            return &Environment::universe_size;
        case kLastUsedCode:
            return &Environment::last_used_code;
        case kAppnum:
            return Value(nullptr);
        default:
            return std::nullopt;
    }
}

}  // namespace

PredefinedAttribute predefined_attribute(const Environment& environment, int keyval)
{
    const std::optional<Value> value = value_of(keyval);
    if (!value) return {};
    return {true, *value == nullptr ? nullptr : &(environment.**value)};
}

bool is_predefined_attribute(int keyval)
{
    return value_of(keyval).has_value();
}

}  // namespace fmpl::mpi
