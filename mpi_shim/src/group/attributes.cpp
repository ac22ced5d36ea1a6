#include "group/attributes.hpp"

#include "environment/environment.hpp"
#include "error.hpp"

#include <algorithm>

namespace fmpl::mpi {
namespace {

const char* kind_name(Keyval::Of of)
{
    return of == Keyval::Of::communicator ? "communicators" : of == Keyval::Of::type ? "data types" : "windows";
}

const char* create_name(Keyval::Of of)
{
    return of == Keyval::Of::communicator ? "MPI_Comm_create_keyval"
           : of == Keyval::Of::type       ? "MPI_Type_create_keyval"
                                          : "MPI_Win_create_keyval";
}

}  // namespace

void Keyval::let_go()
{
    if (--holders_ == 0) table_.remove(handle);
}

void Keyval::free()
{
    if (freed_) return;
    freed_ = true;
    let_go();
}

Attributes::EntryPtr Attributes::entry(const Keyval& keyval) const
{
    const auto at = std::find_if(
        entries_.begin(), entries_.end(), [&keyval](const EntryPtr& entry) { return entry->keyval.get() == &keyval; });
    return at == entries_.end() ? nullptr : *at;
}

void Attributes::erase(const EntryPtr& entry)
{
    std::erase(entries_, entry);
}

void Attributes::run_delete_function(int object, Entry& entry)
{
    const Keyval& keyval = *entry.keyval;
    if (!keyval.delete_function()) return;
    if (const int code = keyval.delete_function()(object, keyval.handle, entry.value); code != kSuccess) {
        fail_with_code(code, "the delete function of keyval {} returned {}; the attribute stays", keyval.handle, code);
    }
}

void Attributes::set(int object, const KeyvalPtr& keyval, AttributeValue value)
{
    if (const EntryPtr there = entry(*keyval)) {
        run_delete_function(object, *there);
        // The function may have deleted it.
        if (entry(*keyval) == there) {
            there->value = value;
            return;
        }
    }
    entries_.push_back(std::make_shared<Entry>(keyval, value));
}

AttributeValue* Attributes::find(const Keyval& keyval)
{
    const EntryPtr there = entry(keyval);
    return there == nullptr ? nullptr : &there->value;
}

void Attributes::remove(int object, const Keyval& keyval)
{
    const EntryPtr there = entry(keyval);
    if (there == nullptr) {
        fail(ErrorClass::keyval, "no attribute is set for keyval {}; ask for it first", keyval.handle);
    }
    run_delete_function(object, *there);
    erase(there);
}

void Attributes::clear(int object)
{
    while (!entries_.empty()) {
        const EntryPtr last = entries_.back();
        run_delete_function(object, *last);
        erase(last);
    }
}

std::shared_ptr<Attributes> Attributes::copied_from(int object)
{
    auto copies = std::make_shared<Attributes>();
    const std::vector<EntryPtr> present = entries_;  // the functions may set and delete attributes
    for (const EntryPtr& from : present) {
        const Keyval& keyval = *from->keyval;
        if (!keyval.copy_function()) continue;
        AttributeValue out;
        bool is_copied = false;
        const int code = keyval.copy_function()(object, keyval.handle, from->value, out, is_copied);
        if (code != kSuccess) fail_with_code(code, "the copy function of keyval {} returned {}", keyval.handle, code);
        if (is_copied) copies->entries_.push_back(std::make_shared<Entry>(from->keyval, out));
    }
    return copies->empty() ? nullptr : copies;
}

std::shared_ptr<Attributes> copied(const std::shared_ptr<Attributes>& attributes, int object)
{
    return attributes == nullptr ? nullptr : attributes->copied_from(object);
}

void clear(const std::shared_ptr<Attributes>& attributes, int object)
{
    if (const std::shared_ptr<Attributes> held = attributes) held->clear(object);
}

KeyvalPtr keyval_of(KeyvalTable& table, int handle, Keyval::Of of)
{
    if (handle == kKeyvalInvalid) {
        fail(ErrorClass::keyval, "keyval is MPI_KEYVAL_INVALID; give one of {}", create_name(of));
    }
    if (is_predefined_attribute(handle)) {
        fail(ErrorClass::keyval, "keyval {:#x} is one of MPI's own, which can only be read", handle);
    }
    const KeyvalPtr* const found = table.find(handle);
    if (found == nullptr) {
        fail(ErrorClass::keyval, "keyval {} does not exist, or was freed; give one of {}", handle, create_name(of));
    }
    if ((*found)->of() != of) {
        fail(ErrorClass::keyval, "keyval {} is for {}; give one of {}", handle, kind_name((*found)->of()),
            create_name(of));
    }
    return *found;
}

int add_keyval(KeyvalTable& table, Keyval::Of of, Keyval::Copy copy, Keyval::Delete on_delete)
{
    auto keyval = std::make_shared<Keyval>(table, of, std::move(copy), std::move(on_delete));
    keyval->handle = table.add(keyval);
    if (keyval->handle == 0) {
        fail(ErrorClass::other, "there are {} keyvals, and no room for more; free some that are not needed",
            table.in_use());
    }
    return keyval->handle;
}

void free_keyval(KeyvalTable& table, int handle, Keyval::Of of)
{
    keyval_of(table, handle, of)->free();
}

}  // namespace fmpl::mpi
