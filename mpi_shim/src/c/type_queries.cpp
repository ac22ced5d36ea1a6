// MPI-3.1, sections 4.1.5 to 4.1.8, 4.1.13 and 6.8: what data types are asked for, and addresses.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "c/text_result.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace fmpl::mpi {
namespace {

// A call that asks a type for one or two numbers: ask(type) gives it or the pair of them.
template <class Number, class Ask>
int ask_number(const char* name, MPI_Datatype datatype, Number* to, const char* argument, Ask&& ask)
{
    return call(name, [&](Process& process) {
        const Datatype& type = *process.type(number_of(datatype))->type;
        check_pointer(to, argument);
        *to = static_cast<Number>(ask(type));
    });
}

template <class Number>
int ask_extent(const char* name, MPI_Datatype datatype, Number* lower, Number* extent)
{
    return call(name, [&](Process& process) {
        const Datatype& type = *process.type(number_of(datatype))->type;
        check_pointer(lower, "lb");
        check_pointer(extent, "extent");
        *lower = type.lower_bound();
        *extent = type.extent();
    });
}

template <class Number>
int ask_true_extent(const char* name, MPI_Datatype datatype, Number* lower, Number* extent)
{
    return call(name, [&](Process& process) {
        const Datatype& type = *process.type(number_of(datatype))->type;
        check_pointer(lower, "true_lb");
        check_pointer(extent, "true_extent");
        *lower = type.true_lower_bound();
        *extent = type.true_extent();
    });
}

int address_of(const char* name, const void* location, MPI_Aint* address)
{
    return call(name, [&](Process&) {
        check_pointer(address, "address");
        *address = reinterpret_cast<MPI_Aint>(location);
    });
}

// What an envelope tells of a type.
struct TypeEnvelope {
    Combiner combiner;
    std::size_t integers;
    std::size_t addresses;
    std::size_t types;
};

// The arguments of MPI_Type_create_f90_real, _complex or _integer that made a handle, after its combiner; nullptr for
// others.
const std::array<int, 3>* f90_arguments(const Process& process, HandleNumber handle)
{
    for (const auto& [arguments, made] : process.f90_types) {
        if (made == handle) return &arguments;
    }
    return nullptr;
}

std::size_t f90_argument_count(const std::array<int, 3>& arguments)
{
    return static_cast<Combiner>(arguments[0]) == Combiner::f90_integer ? 1 : 2;
}

TypeEnvelope type_envelope_of(const Process& process, HandleNumber handle, const Datatype& type)
{
    if (type.predefined_id()) {
        const std::array<int, 3>* const f90 = f90_arguments(process, handle);
        if (f90 == nullptr) return {Combiner::named, 0, 0, 0};
        return {static_cast<Combiner>((*f90)[0]), f90_argument_count(*f90), 0, 0};
    }
    const Datatype::Contents& contents = type.contents();
    return {type.combiner(), contents.integers.size(), contents.addresses.size(), contents.types.size()};
}

// Of the integers of a type's contents, those that are constants become mpi.h's.
void give_constants(Combiner combiner, std::span<int> integers)
{
    if (combiner != Combiner::subarray && combiner != Combiner::darray) return;
    integers.back() = order_out(integers.back());
    if (combiner == Combiner::subarray) return;
    // size, rank, ndims, then gsizes, distribs, dargs and psizes
    const auto dimensions = static_cast<std::size_t>(integers[2]);
    for (int& number : integers.subspan(3 + dimensions, dimensions)) number = distribution_out(number);
    for (int& number : integers.subspan(3 + 2 * dimensions, dimensions)) number = distribution_argument_out(number);
}

void check_room(int room, std::size_t needed, const char* argument)
{
    if (room < 0 || static_cast<std::size_t>(room) < needed) {
        fail(ErrorClass::argument, "{} = {} is too small; MPI_Type_get_envelope says {}", argument, room, needed);
    }
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Get_address(const void* location, MPI_Aint* address)
{
    return address_of("MPI_Get_address", location, address);
}
FMPL_MPI_NAME(MPI_Get_address)

int PMPI_Address(void* location, MPI_Aint* address)
{
    return address_of("MPI_Address", location, address);
}
FMPL_MPI_NAME(MPI_Address)

// Some mpi.h have macros of these names.
#undef MPI_Aint_add
#undef MPI_Aint_diff
#undef PMPI_Aint_add
#undef PMPI_Aint_diff

// Addresses are numbers modulo 2^64.
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
    return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
FMPL_MPI_NAME(MPI_Aint_add)

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}
FMPL_MPI_NAME(MPI_Aint_diff)

int PMPI_Type_size(MPI_Datatype datatype, int* size)
{
    return ask_number("MPI_Type_size", datatype, size, "size",
        [](const Datatype& type) { return type.size() <= INT_MAX ? type.size() : MPI_UNDEFINED; });
}
FMPL_MPI_NAME(MPI_Type_size)

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size)
{
    return ask_number("MPI_Type_size_x", datatype, size, "size", [](const Datatype& type) { return type.size(); });
}
FMPL_MPI_NAME(MPI_Type_size_x)

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent)
{
    return ask_extent("MPI_Type_get_extent", datatype, lb, extent);
}
FMPL_MPI_NAME(MPI_Type_get_extent)

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)
{
    return ask_extent("MPI_Type_get_extent_x", datatype, lb, extent);
}
FMPL_MPI_NAME(MPI_Type_get_extent_x)

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent)
{
    return ask_true_extent("MPI_Type_get_true_extent", datatype, true_lb, true_extent);
}
FMPL_MPI_NAME(MPI_Type_get_true_extent)

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)
{
    return ask_true_extent("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}
FMPL_MPI_NAME(MPI_Type_get_true_extent_x)

int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent)
{
    return ask_number(
        "MPI_Type_extent", datatype, extent, "extent", [](const Datatype& type) { return type.extent(); });
}
FMPL_MPI_NAME(MPI_Type_extent)

int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement)
{
    return ask_number(
        "MPI_Type_lb", datatype, displacement, "displacement", [](const Datatype& type) { return type.lower_bound(); });
}
FMPL_MPI_NAME(MPI_Type_lb)

int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement)
{
    return ask_number(
        "MPI_Type_ub", datatype, displacement, "displacement", [](const Datatype& type) { return type.upper_bound(); });
}
FMPL_MPI_NAME(MPI_Type_ub)

int PMPI_Type_get_envelope(
    MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner)
{
    return call("MPI_Type_get_envelope", [&](Process& process) {
        const TypeEnvelope envelope =
            type_envelope_of(process, number_of(datatype), *process.type(number_of(datatype))->type);
        check_pointer(num_integers, "num_integers");
        check_pointer(num_addresses, "num_addresses");
        check_pointer(num_datatypes, "num_datatypes");
        check_pointer(combiner, "combiner");
        *num_integers = static_cast<int>(envelope.integers);
        *num_addresses = static_cast<int>(envelope.addresses);
        *num_datatypes = static_cast<int>(envelope.types);
        *combiner = combiner_out(static_cast<int>(envelope.combiner));
    });
}
FMPL_MPI_NAME(MPI_Type_get_envelope)

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
    int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[])
{
    return call("MPI_Type_get_contents", [&](Process& process) {
        const TypeObjectPtr type = process.type(number_of(datatype));
        const TypeEnvelope envelope = type_envelope_of(process, number_of(datatype), *type->type);
        if (envelope.combiner == Combiner::named) {
            fail(ErrorClass::type,
                "datatype is {}, which is predefined and so has no contents; ask MPI_Type_get_envelope first",
                type->type->name());
        }
        check_room(max_integers, envelope.integers, "max_integers");
        check_room(max_addresses, envelope.addresses, "max_addresses");
        check_room(max_datatypes, envelope.types, "max_datatypes");
        array_of(integers, static_cast<int>(envelope.integers), "array_of_integers");
        array_of(addresses, static_cast<int>(envelope.addresses), "array_of_addresses");
        array_of(datatypes, static_cast<int>(envelope.types), "array_of_datatypes");
        if (const std::array<int, 3>* const f90 = f90_arguments(process, number_of(datatype))) {
            std::copy_n(f90->begin() + 1, f90_argument_count(*f90), integers);
            return;
        }
        const Datatype::Contents& contents = type->type->contents();
        std::copy(contents.integers.begin(), contents.integers.end(), integers);
        give_constants(envelope.combiner, {integers, envelope.integers});
        std::copy(contents.addresses.begin(), contents.addresses.end(), addresses);
        // Derived types come back under new handles, which the user frees.
        for (const DatatypePtr& part : contents.types) {
            *datatypes++ = handle_for<MPI_Datatype>(part->predefined_id()
                                                        ? handle_of(*part->predefined_id())
                                                        : process.add(std::make_shared<TypeObject>(TypeObject{part})));
        }
    });
}
FMPL_MPI_NAME(MPI_Type_get_contents)

// A longer name is cut off.
int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name)
{
    return call("MPI_Type_set_name", [&](Process& process) {
        TypeObject& type = *process.type(number_of(datatype));
        check_pointer(type_name, "type_name");
        type.type = type.type->renamed(std::string(std::string_view(type_name).substr(0, MPI_MAX_OBJECT_NAME - 1)));
    });
}
FMPL_MPI_NAME(MPI_Type_set_name)

int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen)
{
    return call("MPI_Type_get_name", [&](Process& process) {
        const std::string& name = process.type(number_of(datatype))->type->name();
        check_pointer(type_name, "type_name");
        check_pointer(resultlen, "resultlen");
        give_text(name, type_name, resultlen, MPI_MAX_OBJECT_NAME);
    });
}
FMPL_MPI_NAME(MPI_Type_get_name)
