// The routines of Fortran for attributes (MPI-3.1, sections 6.7 and 17.2.7). Fortran attaches integers, and its copy
// and delete functions get and give integers by address: of the size of an address, or, with the deprecated routines,
// of the usual size. Both are templates over that size.
#pragma once

#include "abi/boundary.hpp"
#include "fortran/handles.hpp"
#include "group/attributes.hpp"

#include <memory>

namespace fmpl::mpi::fortran {

// What attributes are attached to.
struct Communicators {
    static constexpr Keyval::Of kOf = Keyval::Of::communicator;
    static constexpr const char* kCreate = "MPI_Comm_create_keyval";
    static constexpr const char* kSet = "MPI_Comm_set_attr";
    static constexpr const char* kGet = "MPI_Comm_get_attr";

    using Handle = MPI_Comm;
    static CommunicatorPtr object(Process& process, HandleNumber handle) { return process.communicator(handle); }
    template <class Body>
    static int call(const char* name, MPI_Fint handle, const Body& body)
    {
        return call_on(name, in_c<MPI_Comm>(handle), body);
    }
    static PredefinedAttribute predefined(const Process& process, int keyval)
    {
        return predefined_attribute(process.environment, keyval_in(keyval));
    }
};

struct DataTypes {
    static constexpr Keyval::Of kOf = Keyval::Of::type;
    static constexpr const char* kCreate = "MPI_Type_create_keyval";
    static constexpr const char* kSet = "MPI_Type_set_attr";
    static constexpr const char* kGet = "MPI_Type_get_attr";

    using Handle = MPI_Datatype;
    static TypeObjectPtr object(Process& process, HandleNumber handle) { return process.type(handle); }
    template <class Body>
    static int call(const char* name, MPI_Fint, const Body& body)
    {
        return mpi::call(name, body);
    }
    static PredefinedAttribute predefined(const Process&, int) { return {}; }
};

struct Windows {
    static constexpr Keyval::Of kOf = Keyval::Of::window;
    static constexpr const char* kCreate = "MPI_Win_create_keyval";
    static constexpr const char* kSet = "MPI_Win_set_attr";
    static constexpr const char* kGet = "MPI_Win_get_attr";

    using Handle = MPI_Win;
    static WindowPtr object(Process& process, HandleNumber handle) { return process.window(handle); }
    template <class Body>
    static int call(const char* name, MPI_Fint handle, const Body& body)
    {
        return call_on(name, in_c<MPI_Win>(handle), body);
    }
    static PredefinedAttribute predefined(const Process&, int) { return {}; }
};

template <class Integer>
using CopyFunction = void(MPI_Fint* object, MPI_Fint* keyval, Integer* extra_state, Integer* in, Integer* out,
    MPI_Fint* flag, MPI_Fint* ierror);
template <class Integer>
using DeleteFunction = void(MPI_Fint* object, MPI_Fint* keyval, Integer* value, Integer* extra_state, MPI_Fint* ierror);

template <class Objects, class Integer>
void create_keyval(void* copy_fn, void* delete_fn, MPI_Fint* keyval, const Integer* extra_state, MPI_Fint* ierror)
{
    *ierror = call(Objects::kCreate, [&](Process& process) {
        // Both functions get the address of one extra state.
        const auto state = std::make_shared<Integer>(*extra_state);
        const std::shared_ptr<ThreadTurns> turns = process.turns;
        const auto copy = reinterpret_cast<CopyFunction<Integer>*>(copy_fn);
        const auto on_delete = reinterpret_cast<DeleteFunction<Integer>*>(delete_fn);
        *keyval = keyval_out(add_keyval(
            process.keyvals, Objects::kOf,
            [state, copy, turns](int object, int key, AttributeValue& in, AttributeValue& out, bool& copied) {
                auto value = static_cast<Integer>(in.in_fortran());
                Integer result = value;
                MPI_Fint flag = 0;
                MPI_Fint code = MPI_SUCCESS;
                MPI_Fint users_key = keyval_out(key);
                MPI_Fint users = fortran_for<typename Objects::Handle>(object);
                const TurnGivenAway away(turns);
                copy(&users, &users_key, state.get(), &value, &result, &flag, &code);
                // An address that C had set stays one.
                out = result == value ? in : AttributeValue::of_integer(result);
                copied = flag != 0;
                return code_in(code);
            },
            [state, on_delete, turns](int object, int key, AttributeValue& old) {
                auto value = static_cast<Integer>(old.in_fortran());
                MPI_Fint code = MPI_SUCCESS;
                MPI_Fint users_key = keyval_out(key);
                MPI_Fint users = fortran_for<typename Objects::Handle>(object);
                const TurnGivenAway away(turns);
                on_delete(&users, &users_key, &value, state.get(), &code);
                return code_in(code);
            }));
    });
}

template <class Objects, class Integer>
void set_attribute(const MPI_Fint* handle, const MPI_Fint* keyval, const Integer* value, MPI_Fint* ierror)
{
    *ierror = Objects::call(Objects::kSet, *handle, [&](Process& process) {
        // A delete function may free what it is called for.
        const HandleNumber number = number_of_fortran<typename Objects::Handle>(*handle);
        const auto object = Objects::object(process, number);
        const KeyvalPtr key = keyval_of(process.keyvals, keyval_in(*keyval), Objects::kOf);
        if (object->attributes == nullptr) object->attributes = std::make_shared<Attributes>();
        const auto attributes = object->attributes;
        attributes->set(number, key, AttributeValue::of_integer(*value));
    });
}

template <class Objects, class Integer>
void get_attribute(const MPI_Fint* handle, const MPI_Fint* keyval, Integer* value, MPI_Fint* flag, MPI_Fint* ierror)
{
    *ierror = Objects::call(Objects::kGet, *handle, [&](Process& process) {
        const auto object = Objects::object(process, number_of_fortran<typename Objects::Handle>(*handle));
        if (const auto predefined = Objects::predefined(process, *keyval); predefined.is_predefined) {
            *flag = predefined.value != nullptr ? 1 : 0;
            if (predefined.value != nullptr) *value = *predefined.value;
            return;
        }
        const KeyvalPtr key = keyval_of(process.keyvals, keyval_in(*keyval), Objects::kOf);
        const AttributeValue* found = object->attributes != nullptr ? object->attributes->find(*key) : nullptr;
        *flag = found != nullptr ? 1 : 0;
        if (found != nullptr) *value = static_cast<Integer>(found->in_fortran());
    });
}

}  // namespace fmpl::mpi::fortran
