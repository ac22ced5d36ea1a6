// Caching (MPI-3.1, section 6.7): what programs attach to communicators, data types and windows by keyvals.
//
// Used by its rank alone. The user's functions are called with nothing locked and may call MPI, also on the same
// object.
#pragma once

#include "handles/handles.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace fmpl::mpi {

class Keyval;
using KeyvalPtr = std::shared_ptr<Keyval>;
using KeyvalTable = HandleTable<KeyvalPtr, HandleKind::keyval>;

// A value as it was set. C sets addresses; Fortran sets integers, which C sees by their address and Fortran by value
// (section 17.2.7).
struct AttributeValue {
    void* bits = nullptr;
    bool is_integer = false;  // set by Fortran: `bits` is the number

    static AttributeValue of_address(void* address) { return {address, false}; }
    static AttributeValue of_integer(std::intptr_t number) { return {reinterpret_cast<void*>(number), true}; }

    // What C gets. Of an integer: where it lies, so this value has to stay.
    void* in_c() { return is_integer ? static_cast<void*>(&bits) : bits; }
    // What Fortran gets.
    std::intptr_t in_fortran() const { return reinterpret_cast<std::intptr_t>(bits); }
};

// A keyval with its functions. `object` is the handle of the communicator, data type or window. The functions
// return MPI_SUCCESS or a code, which the call at work then fails with.
class Keyval {
public:
    enum class Of { communicator, type, window };
    // *copied = false: the new object does not get the attribute.
    using Copy = std::function<int(int object, int keyval, AttributeValue& in, AttributeValue& out, bool& copied)>;
    using Delete = std::function<int(int object, int keyval, AttributeValue& value)>;

    // copy: empty for one that copies nothing. on_delete: empty for one that does nothing. `table` is where
    // its handle is, and lives longer.
    Keyval(KeyvalTable& table, Of of, Copy copy, Delete on_delete)
        : table_(table),
          of_(of),
          copy_(std::move(copy)),
          delete_(std::move(on_delete))
    {
    }

    Of of() const { return of_; }
    const Copy& copy_function() const { return copy_; }
    const Delete& delete_function() const { return delete_; }

    // What holds it: the program, until it frees it, and each attribute that has it. With the last of them the handle
    // is gone.
    void hold() { ++holders_; }
    void let_go();
    // The program's. Nothing happens when it was freed before.
    void free();

    int handle = 0;  // for the functions; freed or not

private:
    KeyvalTable& table_;
    int holders_ = 1;
    bool freed_ = false;
    Of of_;
    Copy copy_;
    Delete delete_;
};

// The attributes of one object, in the order in which they were first set. Each function that calls a delete or copy
// function of the user's throws Error, with the code that it returned.
class Attributes {
public:
    // The delete function sees the old value first, if there is one; when it fails, that stays.
    void set(int object, const KeyvalPtr& keyval, AttributeValue value);
    // Null when it is not set. Valid until the attribute is set again or deleted.
    AttributeValue* find(const Keyval& keyval);
    // MPI_ERR_KEYVAL when it is not set.
    void remove(int object, const Keyval& keyval);
    // All of them, the last one set first. The one whose delete function fails stays, and those before it.
    void clear(int object);
    // For a duplicate of the object `object`. When a copy function fails, what was copied is dropped. Null without any.
    std::shared_ptr<Attributes> copied_from(int object);
    bool empty() const { return entries_.empty(); }

private:
    struct Entry {
        Entry(KeyvalPtr of, AttributeValue set_to) : keyval(std::move(of)), value(set_to) { keyval->hold(); }
        ~Entry() { keyval->let_go(); }
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

        KeyvalPtr keyval;
        AttributeValue value;
    };
    using EntryPtr = std::shared_ptr<Entry>;

    EntryPtr entry(const Keyval& keyval) const;
    void erase(const EntryPtr& entry);
    static void run_delete_function(int object, Entry& entry);

    std::vector<EntryPtr> entries_;
};

// What `attributes`, which may be null, has for a duplicate of `object`; null without any.
std::shared_ptr<Attributes> copied(const std::shared_ptr<Attributes>& attributes, int object);
// Deletes all that `attributes`, which may be null, has.
void clear(const std::shared_ptr<Attributes>& attributes, int object);

// The keyval of a handle; MPI_ERR_KEYVAL when it is none of this kind's. One that was freed is there as long as an
// attribute has it (section 6.7.2).
KeyvalPtr keyval_of(KeyvalTable& table, int handle, Keyval::Of of);
// MPI_Comm_create_keyval, MPI_Type_create_keyval, MPI_Win_create_keyval: the new keyval's handle.
int add_keyval(KeyvalTable& table, Keyval::Of of, Keyval::Copy copy, Keyval::Delete on_delete);
// MPI_Comm_free_keyval, MPI_Type_free_keyval, MPI_Win_free_keyval.
void free_keyval(KeyvalTable& table, int handle, Keyval::Of of);

}  // namespace fmpl::mpi
