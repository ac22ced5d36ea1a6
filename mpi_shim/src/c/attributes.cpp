// Attributes of communicators, data types and windows (MPI-3.1, section 6.7, and their old names, 15.1).
#include "abi/boundary.hpp"
#include "group/attributes.hpp"

#include <cstring>

using namespace fmpl::mpi;

namespace {

// What attributes are attached to. MPI's own ones are on communicators. dup_fn: the function of mpi.h that copies.
struct Communicators {
    using Handle = MPI_Comm;
    using CopyFunction = MPI_Comm_copy_attr_function;
    using DeleteFunction = MPI_Comm_delete_attr_function;
    static CopyFunction* dup_fn() { return MPI_COMM_DUP_FN; }
    static constexpr Keyval::Of kOf = Keyval::Of::communicator;

    static CommunicatorPtr object(Process& process, Handle handle) { return process.communicator(number_of(handle)); }
    static PredefinedAttribute predefined(const Process& process, int keyval)
    {
        return predefined_attribute(process.environment, keyval_in(keyval));
    }
    template <class Body>
    static int run(const char* name, Handle handle, Body&& body)
    {
        return call_on(name, handle, body);
    }
};

struct Types {
    using Handle = MPI_Datatype;
    using CopyFunction = MPI_Type_copy_attr_function;
    using DeleteFunction = MPI_Type_delete_attr_function;
    static CopyFunction* dup_fn() { return MPI_TYPE_DUP_FN; }
    static constexpr Keyval::Of kOf = Keyval::Of::type;

    static TypeObjectPtr object(Process& process, Handle handle) { return process.type(number_of(handle)); }
    static PredefinedAttribute predefined(const Process&, int) { return {}; }
    template <class Body>
    static int run(const char* name, Handle, Body&& body)
    {
        return call(name, body);
    }
};

struct Windows {
    using Handle = MPI_Win;
    using CopyFunction = MPI_Win_copy_attr_function;
    using DeleteFunction = MPI_Win_delete_attr_function;
    static CopyFunction* dup_fn() { return MPI_WIN_DUP_FN; }
    static constexpr Keyval::Of kOf = Keyval::Of::window;

    static WindowPtr object(Process& process, Handle handle) { return process.window(number_of(handle)); }
    static PredefinedAttribute predefined(const Process&, int) { return {}; }
    template <class Body>
    static int run(const char* name, Handle handle, Body&& body)
    {
        return call_on(name, handle, body);
    }
};

template <class Objects>
int create_keyval(const char* name, typename Objects::CopyFunction* copy_fn,
    typename Objects::DeleteFunction* delete_fn, int* keyval, void* extra_state)
{
    return call(name, [&](Process& process) {
        check_pointer(keyval, "keyval");
        const std::shared_ptr<ThreadTurns> turns = process.turns;
        Keyval::Copy copy;
        if (copy_fn == Objects::dup_fn()) {
            // A number, where the interface has no function for it.
            copy = [](int, int, AttributeValue& in, AttributeValue& out, bool& is_copied) {
                out = in;
                is_copied = true;
                return kSuccess;
            };
        } else if (copy_fn != nullptr) {
            copy = [=](int object, int number, AttributeValue& in, AttributeValue& out, bool& is_copied) {
                int flag = 0;
                void* value = nullptr;
                const auto of = handle_for<typename Objects::Handle>(object);
                const TurnGivenAway away(turns);
                const int code = copy_fn(of, keyval_out(number), extra_state, in.in_c(), &value, &flag);
                // A number of Fortran's that was passed on is that number, not the place where the old one lies.
                out = value == in.in_c() ? in : AttributeValue::of_address(value);
                is_copied = flag != 0;
                return code_in(code);
            };
        }
        Keyval::Delete on_delete;
        if (delete_fn != nullptr) {
            on_delete = [=](int object, int number, AttributeValue& value) {
                const auto of = handle_for<typename Objects::Handle>(object);
                const TurnGivenAway away(turns);
                return code_in(delete_fn(of, keyval_out(number), value.in_c(), extra_state));
            };
        }
        *keyval = keyval_out(add_keyval(process.keyvals, Objects::kOf, std::move(copy), std::move(on_delete)));
    });
}

template <class Objects>
int free_keyval_of(const char* name, int* keyval)
{
    return call(name, [&](Process& process) {
        check_pointer(keyval, "keyval");
        free_keyval(process.keyvals, keyval_in(*keyval), Objects::kOf);
        *keyval = MPI_KEYVAL_INVALID;
    });
}

template <class Objects>
int set_attribute(const char* name, typename Objects::Handle handle, int keyval, void* value)
{
    return Objects::run(name, handle, [&](Process& process) {
        const auto object = Objects::object(process, handle);  // held, as its attributes: a delete function may free it
        const KeyvalPtr key = keyval_of(process.keyvals, keyval_in(keyval), Objects::kOf);
        if (object->attributes == nullptr) object->attributes = std::make_shared<Attributes>();
        const auto attributes = object->attributes;
        attributes->set(number_of(handle), key, AttributeValue::of_address(value));
    });
}

template <class Objects>
int get_attribute(const char* name, typename Objects::Handle handle, int keyval, void* value, int* flag)
{
    return Objects::run(name, handle, [&](Process& process) {
        const auto object = Objects::object(process, handle);
        check_pointer(value, "attribute_val");
        check_pointer(flag, "flag");
        const void* found = nullptr;
        bool is_set = false;
        if (const PredefinedAttribute own = Objects::predefined(process, keyval); own.is_predefined) {
            found = own.value;
            is_set = found != nullptr;
        } else {
            const KeyvalPtr key = keyval_of(process.keyvals, keyval_in(keyval), Objects::kOf);
            AttributeValue* const there = object->attributes == nullptr ? nullptr : object->attributes->find(*key);
            is_set = there != nullptr;
            if (is_set) found = there->in_c();
        }
        *flag = is_set ? 1 : 0;
        if (is_set) std::memcpy(value, &found, sizeof found);
    });
}

template <class Objects>
int delete_attribute(const char* name, typename Objects::Handle handle, int keyval)
{
    return Objects::run(name, handle, [&](Process& process) {
        const auto object = Objects::object(process, handle);
        const KeyvalPtr key = keyval_of(process.keyvals, keyval_in(keyval), Objects::kOf);
        const auto attributes = object->attributes == nullptr ? std::make_shared<Attributes>() : object->attributes;
        attributes->remove(number_of(handle), *key);
    });
}

}  // namespace

int PMPI_Comm_create_keyval(
    MPI_Comm_copy_attr_function* copy_fn, MPI_Comm_delete_attr_function* delete_fn, int* keyval, void* extra_state)
{
    return create_keyval<Communicators>("MPI_Comm_create_keyval", copy_fn, delete_fn, keyval, extra_state);
}
FMPL_MPI_NAME(MPI_Comm_create_keyval)

int PMPI_Comm_free_keyval(int* keyval)
{
    return free_keyval_of<Communicators>("MPI_Comm_free_keyval", keyval);
}
FMPL_MPI_NAME(MPI_Comm_free_keyval)

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* attribute_val)
{
    return set_attribute<Communicators>("MPI_Comm_set_attr", comm, keyval, attribute_val);
}
FMPL_MPI_NAME(MPI_Comm_set_attr)

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* attribute_val, int* flag)
{
    return get_attribute<Communicators>("MPI_Comm_get_attr", comm, keyval, attribute_val, flag);
}
FMPL_MPI_NAME(MPI_Comm_get_attr)

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval)
{
    return delete_attribute<Communicators>("MPI_Comm_delete_attr", comm, keyval);
}
FMPL_MPI_NAME(MPI_Comm_delete_attr)

int PMPI_Type_create_keyval(
    MPI_Type_copy_attr_function* copy_fn, MPI_Type_delete_attr_function* delete_fn, int* keyval, void* extra_state)
{
    return create_keyval<Types>("MPI_Type_create_keyval", copy_fn, delete_fn, keyval, extra_state);
}
FMPL_MPI_NAME(MPI_Type_create_keyval)

int PMPI_Type_free_keyval(int* keyval)
{
    return free_keyval_of<Types>("MPI_Type_free_keyval", keyval);
}
FMPL_MPI_NAME(MPI_Type_free_keyval)

int PMPI_Type_set_attr(MPI_Datatype datatype, int keyval, void* attribute_val)
{
    return set_attribute<Types>("MPI_Type_set_attr", datatype, keyval, attribute_val);
}
FMPL_MPI_NAME(MPI_Type_set_attr)

int PMPI_Type_get_attr(MPI_Datatype datatype, int keyval, void* attribute_val, int* flag)
{
    return get_attribute<Types>("MPI_Type_get_attr", datatype, keyval, attribute_val, flag);
}
FMPL_MPI_NAME(MPI_Type_get_attr)

int PMPI_Type_delete_attr(MPI_Datatype datatype, int keyval)
{
    return delete_attribute<Types>("MPI_Type_delete_attr", datatype, keyval);
}
FMPL_MPI_NAME(MPI_Type_delete_attr)

int PMPI_Win_create_keyval(
    MPI_Win_copy_attr_function* copy_fn, MPI_Win_delete_attr_function* delete_fn, int* keyval, void* extra_state)
{
    return create_keyval<Windows>("MPI_Win_create_keyval", copy_fn, delete_fn, keyval, extra_state);
}
FMPL_MPI_NAME(MPI_Win_create_keyval)

int PMPI_Win_free_keyval(int* keyval)
{
    return free_keyval_of<Windows>("MPI_Win_free_keyval", keyval);
}
FMPL_MPI_NAME(MPI_Win_free_keyval)

int PMPI_Win_set_attr(MPI_Win win, int keyval, void* attribute_val)
{
    return set_attribute<Windows>("MPI_Win_set_attr", win, keyval, attribute_val);
}
FMPL_MPI_NAME(MPI_Win_set_attr)

int PMPI_Win_get_attr(MPI_Win win, int keyval, void* attribute_val, int* flag)
{
    return get_attribute<Windows>("MPI_Win_get_attr", win, keyval, attribute_val, flag);
}
FMPL_MPI_NAME(MPI_Win_get_attr)

int PMPI_Win_delete_attr(MPI_Win win, int keyval)
{
    return delete_attribute<Windows>("MPI_Win_delete_attr", win, keyval);
}
FMPL_MPI_NAME(MPI_Win_delete_attr)

int PMPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state)
{
    return create_keyval<Communicators>("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}
FMPL_MPI_NAME(MPI_Keyval_create)

int PMPI_Keyval_free(int* keyval)
{
    return free_keyval_of<Communicators>("MPI_Keyval_free", keyval);
}
FMPL_MPI_NAME(MPI_Keyval_free)

int PMPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val)
{
    return set_attribute<Communicators>("MPI_Attr_put", comm, keyval, attribute_val);
}
FMPL_MPI_NAME(MPI_Attr_put)

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag)
{
    return get_attribute<Communicators>("MPI_Attr_get", comm, keyval, attribute_val, flag);
}
FMPL_MPI_NAME(MPI_Attr_get)

int PMPI_Attr_delete(MPI_Comm comm, int keyval)
{
    return delete_attribute<Communicators>("MPI_Attr_delete", comm, keyval);
}
FMPL_MPI_NAME(MPI_Attr_delete)
