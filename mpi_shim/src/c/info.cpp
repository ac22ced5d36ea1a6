// Info objects (MPI-3.1, chapter 9).
#include "abi/boundary.hpp"
#include "environment/info.hpp"

#include <algorithm>
#include <cstring>

using namespace fmpl::mpi;

namespace {

constexpr InfoLimits kLimits = {MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL};

// What a call changes: not MPI_INFO_ENV.
InfoPtr changeable(Process& process, MPI_Info handle)
{
    if (handle == MPI_INFO_ENV) {
        fail(ErrorClass::info,
            "info is MPI_INFO_ENV, which can only be read; MPI_Info_dup makes a copy that can be changed");
    }
    return info_of(process.environment, number_of(handle));
}

// The value of a key; null when there is none.
const std::string* look_up(const Info& info, const char* key, int* flag)
{
    check_pointer(key, "key");
    check_pointer(flag, "flag");
    Info::check_key(key, kLimits);
    const std::string* const value = info.find(key);
    *flag = value != nullptr ? 1 : 0;
    return value;
}

}  // namespace

int PMPI_Info_create(MPI_Info* info)
{
    return call("MPI_Info_create", [&](Process& process) {
        check_pointer(info, "info");
        *info = handle_for<MPI_Info>(add_info(process.environment, Info()));
    });
}
FMPL_MPI_NAME(MPI_Info_create)

int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo)
{
    return call("MPI_Info_dup", [&](Process& process) {
        const InfoPtr from = info_of(process.environment, number_of(info));
        check_pointer(newinfo, "newinfo");
        *newinfo = handle_for<MPI_Info>(add_info(process.environment, *from));
    });
}
FMPL_MPI_NAME(MPI_Info_dup)

int PMPI_Info_free(MPI_Info* info)
{
    return call("MPI_Info_free", [&](Process& process) {
        check_pointer(info, "info");
        changeable(process, *info);
        process.environment.infos.remove(number_of(*info));
        *info = MPI_INFO_NULL;
    });
}
FMPL_MPI_NAME(MPI_Info_free)

int PMPI_Info_set(MPI_Info info, const char* key, const char* value)
{
    return call("MPI_Info_set", [&](Process& process) {
        const InfoPtr to = changeable(process, info);
        check_pointer(key, "key");
        check_pointer(value, "value");
        to->set(key, value, kLimits);
    });
}
FMPL_MPI_NAME(MPI_Info_set)

int PMPI_Info_delete(MPI_Info info, const char* key)
{
    return call("MPI_Info_delete", [&](Process& process) {
        const InfoPtr from = changeable(process, info);
        check_pointer(key, "key");
        Info::check_key(key, kLimits);
        from->remove(key);
    });
}
FMPL_MPI_NAME(MPI_Info_delete)

int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag)
{
    return call("MPI_Info_get", [&](Process& process) {
        const InfoPtr from = info_of(process.environment, number_of(info));
        if (valuelen < 0)
            fail(ErrorClass::argument, "valuelen = {} is negative; give the characters that value has room for",
                valuelen);
        check_pointer(value, "value");
        const std::string* const found = look_up(*from, key, flag);
        if (found == nullptr) return;
        // valuelen does not count the final zero.
        const std::size_t length = std::min(found->size(), static_cast<std::size_t>(valuelen));
        std::memcpy(value, found->data(), length);
        value[length] = '\0';
    });
}
FMPL_MPI_NAME(MPI_Info_get)

int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag)
{
    return call("MPI_Info_get_valuelen", [&](Process& process) {
        const InfoPtr from = info_of(process.environment, number_of(info));
        check_pointer(valuelen, "valuelen");
        if (const std::string* const found = look_up(*from, key, flag)) *valuelen = static_cast<int>(found->size());
    });
}
FMPL_MPI_NAME(MPI_Info_get_valuelen)

int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys)
{
    return call("MPI_Info_get_nkeys", [&](Process& process) {
        const InfoPtr of = info_of(process.environment, number_of(info));
        check_pointer(nkeys, "nkeys");
        *nkeys = of->size();
    });
}
FMPL_MPI_NAME(MPI_Info_get_nkeys)

int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key)
{
    return call("MPI_Info_get_nthkey", [&](Process& process) {
        const InfoPtr of = info_of(process.environment, number_of(info));
        check_pointer(key, "key");
        if (n < 0 || n >= of->size()) {
            fail(ErrorClass::argument, "n = {} is no key; info has {}, counted from 0", n, of->size());
        }
        const std::string& found = of->key(n);
        std::memcpy(key, found.c_str(), found.size() + 1);
    });
}
FMPL_MPI_NAME(MPI_Info_get_nthkey)
