// MPI-3.1, section 4.1: the constructors of data types with their deprecated names, and the life of a handle.
#include "abi/boundary.hpp"
#include "c/arguments.hpp"
#include "group/attributes.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

static_assert(sizeof(MPI_Aint) == sizeof(std::int64_t));

namespace fmpl::mpi {
namespace {

HandleNumber add_type(Process& process, DatatypePtr type)
{
    return process.add(std::make_shared<TypeObject>(TypeObject{std::move(type)}));
}

// A call that makes a type of one other: construct(type) gives it.
template <class Construct>
int construct_of(const char* name, MPI_Datatype oldtype, MPI_Datatype* newtype, Construct&& construct)
{
    return call(name, [&](Process& process) {
        const DatatypePtr& old = process.type(number_of(oldtype), "oldtype")->type;
        check_pointer(newtype, "newtype");
        *newtype = handle_for<MPI_Datatype>(add_type(process, construct(old)));
    });
}

int hvector(const char* name, int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of(name, oldtype, newtype,
        [&](const DatatypePtr& old) { return Datatype::hvector(count, blocklength, stride, old); });
}

int hindexed(const char* name, int count, const int* blocklengths, const MPI_Aint* displacements, MPI_Datatype oldtype,
    MPI_Datatype* newtype)
{
    return construct_of(name, oldtype, newtype, [&](const DatatypePtr& old) {
        return Datatype::hindexed(array_of(blocklengths, count, "array_of_blocklengths"),
            array_of(displacements, count, "array_of_displacements"), old);
    });
}

// Constants of mpi.h as the core's.
std::vector<int> each(std::span<const int> numbers, int (*in)(int))
{
    std::vector<int> known(numbers.size());
    std::transform(numbers.begin(), numbers.end(), known.begin(), in);
    return known;
}

int structure(const char* name, int count, const int* blocklengths, const MPI_Aint* displacements,
    const MPI_Datatype* types, MPI_Datatype* newtype)
{
    return call(name, [&](Process& process) {
        const auto lengths = array_of(blocklengths, count, "array_of_blocklengths");
        const auto places = array_of(displacements, count, "array_of_displacements");
        check_pointer(newtype, "newtype");
        std::vector<DatatypePtr> entries;
        entries.reserve(lengths.size());
        for (const MPI_Datatype type : array_of(types, count, "array_of_types")) {
            entries.push_back(process.type(number_of(type), "a type of the array")->type);
        }
        *newtype = handle_for<MPI_Datatype>(add_type(process, Datatype::structure(lengths, places, entries)));
    });
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_contiguous", oldtype, newtype,
        [&](const DatatypePtr& old) { return Datatype::contiguous(count, old); });
}
FMPL_MPI_NAME(MPI_Type_contiguous)

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_vector", oldtype, newtype,
        [&](const DatatypePtr& old) { return Datatype::vector(count, blocklength, stride, old); });
}
FMPL_MPI_NAME(MPI_Type_vector)

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return hvector("MPI_Type_create_hvector", count, blocklength, stride, oldtype, newtype);
}
FMPL_MPI_NAME(MPI_Type_create_hvector)

int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return hvector("MPI_Type_hvector", count, blocklength, stride, oldtype, newtype);
}
FMPL_MPI_NAME(MPI_Type_hvector)

int PMPI_Type_indexed(
    int count, const int blocklengths[], const int displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_indexed", oldtype, newtype, [&](const DatatypePtr& old) {
        return Datatype::indexed(array_of(blocklengths, count, "array_of_blocklengths"),
            array_of(displacements, count, "array_of_displacements"), old);
    });
}
FMPL_MPI_NAME(MPI_Type_indexed)

int PMPI_Type_create_hindexed(
    int count, const int blocklengths[], const MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return hindexed("MPI_Type_create_hindexed", count, blocklengths, displacements, oldtype, newtype);
}
FMPL_MPI_NAME(MPI_Type_create_hindexed)

int PMPI_Type_hindexed(
    int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return hindexed("MPI_Type_hindexed", count, blocklengths, displacements, oldtype, newtype);
}
FMPL_MPI_NAME(MPI_Type_hindexed)

int PMPI_Type_create_indexed_block(
    int count, int blocklength, const int displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_create_indexed_block", oldtype, newtype, [&](const DatatypePtr& old) {
        return Datatype::indexed_block(blocklength, array_of(displacements, count, "array_of_displacements"), old);
    });
}
FMPL_MPI_NAME(MPI_Type_create_indexed_block)

int PMPI_Type_create_hindexed_block(
    int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_create_hindexed_block", oldtype, newtype, [&](const DatatypePtr& old) {
        return Datatype::hindexed_block(blocklength, array_of(displacements, count, "array_of_displacements"), old);
    });
}
FMPL_MPI_NAME(MPI_Type_create_hindexed_block)

int PMPI_Type_create_struct(int count, const int blocklengths[], const MPI_Aint displacements[],
    const MPI_Datatype types[], MPI_Datatype* newtype)
{
    return structure("MPI_Type_create_struct", count, blocklengths, displacements, types, newtype);
}
FMPL_MPI_NAME(MPI_Type_create_struct)

int PMPI_Type_struct(
    int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype* newtype)
{
    return structure("MPI_Type_struct", count, blocklengths, displacements, types, newtype);
}
FMPL_MPI_NAME(MPI_Type_struct)

int PMPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
    MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_create_subarray", oldtype, newtype, [&](const DatatypePtr& old) {
        return Datatype::subarray(array_of(sizes, ndims, "array_of_sizes", "ndims"),
            array_of(subsizes, ndims, "array_of_subsizes"), array_of(starts, ndims, "array_of_starts"), order_in(order),
            old);
    });
}
FMPL_MPI_NAME(MPI_Type_create_subarray)

int PMPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
    const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_create_darray", oldtype, newtype, [&](const DatatypePtr& old) {
        return Datatype::darray(size, rank, array_of(gsizes, ndims, "array_of_gsizes", "ndims"),
            each(array_of(distribs, ndims, "array_of_distribs"), distribution_in),
            each(array_of(dargs, ndims, "array_of_dargs"), distribution_argument_in),
            array_of(psizes, ndims, "array_of_psizes"), order_in(order), old);
    });
}
FMPL_MPI_NAME(MPI_Type_create_darray)

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype)
{
    return construct_of("MPI_Type_create_resized", oldtype, newtype,
        [&](const DatatypePtr& old) { return Datatype::resized(old, lb, extent); });
}
FMPL_MPI_NAME(MPI_Type_create_resized)

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return call("MPI_Type_dup", [&](Process& process) {
        const TypeObjectPtr old = process.type(number_of(oldtype), "oldtype");
        check_pointer(newtype, "newtype");
        // Functions of the user's copy the attributes, and may fail: then there is no new type.
        *newtype = MPI_DATATYPE_NULL;
        std::shared_ptr<Attributes> attributes = copied(old->attributes, number_of(oldtype));
        *newtype = handle_for<MPI_Datatype>(process.add(std::make_shared<TypeObject>(TypeObject{
            Datatype::dup(old->type), old->layout, std::move(attributes), old->dense_bytes, old->element_bytes})));
    });
}
FMPL_MPI_NAME(MPI_Type_dup)

int PMPI_Type_commit(MPI_Datatype* datatype)
{
    return call("MPI_Type_commit", [&](Process& process) {
        check_pointer(datatype, "datatype");
        TypeObject& type = *process.type(number_of(*datatype));
        type.commit();
    });
}
FMPL_MPI_NAME(MPI_Type_commit)

int PMPI_Type_free(MPI_Datatype* datatype)
{
    return call("MPI_Type_free", [&](Process& process) {
        check_pointer(datatype, "datatype");
        const TypeObjectPtr type = process.type(number_of(*datatype));
        if (type->is_predefined()) {
            fail(ErrorClass::type, "datatype is {}, which is predefined; free only what a constructor made",
                type->type->name());
        }
        clear(type->attributes, number_of(*datatype));
        process.types.remove(number_of(*datatype));
        *datatype = MPI_DATATYPE_NULL;
    });
}
FMPL_MPI_NAME(MPI_Type_free)
