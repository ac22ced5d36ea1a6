// MPI-3.1, sections 3.2.5, 4.1.11, 12.3 and 17.2.5: what a status tells, and how it is set.
#include "abi/boundary.hpp"
#include "abi/status.hpp"
#include "datatype/checked.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <utility>

namespace fmpl::mpi {
namespace {

// MPI_UNDEFINED where there is no number, or none that Number holds.
template <class Number>
Number or_undefined(const std::optional<std::int64_t>& number)
{
    return number && std::in_range<Number>(*number) ? static_cast<Number>(*number) : Number{MPI_UNDEFINED};
}

void check_status(const MPI_Status* status)
{
    if (status == nullptr || status == MPI_STATUS_IGNORE) {
        fail(ErrorClass::argument, "status is {}; give the address of a status",
            status == nullptr ? "a null pointer" : "MPI_STATUS_IGNORE");
    }
}

template <class Number>
int get_elements(const char* name, const MPI_Status* status, MPI_Datatype datatype, Number* count)
{
    return call(name, [&](Process& process) {
        const Datatype& type = *process.type(number_of(datatype))->type;
        check_status(status);
        check_pointer(count, "count");
        *count = or_undefined<Number>(type.elements_in(static_cast<std::int64_t>(bytes_of(*status))));
    });
}

// Bytes of the first `elements` basic elements of copies of the type: what MPI_Get_elements counts them in.
std::int64_t bytes_of_elements(const Datatype& type, std::int64_t elements)
{
    const std::int64_t in_one = type.signature().elements();
    if (in_one == 0) return 0;
    std::int64_t bytes = checked_multiply(elements / in_one, type.size());
    std::int64_t rest = elements % in_one;
    if (rest == 0) return bytes;
    if (const auto basic = type.signature().uniform()) {
        return checked_add(bytes, checked_multiply<std::int64_t>(rest, info(*basic).size));
    }
    if (const auto id = type.predefined_id()) return checked_add<std::int64_t>(bytes, info(info(*id).first).size);
    for (std::int64_t i = 0; rest > 0; ++i) {
        const Datatype::Block block = type.block(i);
        const std::int64_t in_block = block.length * block.type->signature().elements();
        const std::int64_t taken = std::min(rest, in_block);
        if (taken > 0) bytes = checked_add(bytes, bytes_of_elements(*block.type, taken));
        rest -= taken;
    }
    return bytes;
}

int set_elements(const char* name, MPI_Status* status, MPI_Datatype datatype, std::int64_t count)
{
    return call(name, [&](Process& process) {
        const Datatype& type = *process.type(number_of(datatype))->type;
        check_status(status);
        check_count(count);
        set_bytes(*status, static_cast<std::uint64_t>(bytes_of_elements(type, count)));
    });
}

}  // namespace
}  // namespace fmpl::mpi

using namespace fmpl::mpi;

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count)
{
    return call("MPI_Get_count", [&](Process& process) {
        const Datatype& type = *process.type(number_of(datatype))->type;
        check_status(status);
        check_pointer(count, "count");
        *count = or_undefined<int>(type.count_in(static_cast<std::int64_t>(bytes_of(*status))));
    });
}
FMPL_MPI_NAME(MPI_Get_count)

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count)
{
    return get_elements("MPI_Get_elements", status, datatype, count);
}
FMPL_MPI_NAME(MPI_Get_elements)

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)
{
    return get_elements("MPI_Get_elements_x", status, datatype, count);
}
FMPL_MPI_NAME(MPI_Get_elements_x)

int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count)
{
    return set_elements("MPI_Status_set_elements", status, datatype, count);
}
FMPL_MPI_NAME(MPI_Status_set_elements)

int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count)
{
    return set_elements("MPI_Status_set_elements_x", status, datatype, count);
}
FMPL_MPI_NAME(MPI_Status_set_elements_x)

int PMPI_Status_set_cancelled(MPI_Status* status, int flag)
{
    return call("MPI_Status_set_cancelled", [&](Process&) {
        check_status(status);
        set_cancelled(*status, flag != 0);
    });
}
FMPL_MPI_NAME(MPI_Status_set_cancelled)

int PMPI_Test_cancelled(const MPI_Status* status, int* flag)
{
    return call("MPI_Test_cancelled", [&](Process&) {
        check_status(status);
        check_pointer(flag, "flag");
        *flag = is_cancelled(*status) ? 1 : 0;
    });
}
FMPL_MPI_NAME(MPI_Test_cancelled)
