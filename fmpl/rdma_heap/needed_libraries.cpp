#include "needed_libraries.hpp"

#include <cstddef>
#include <cstring>

#include <link.h>

namespace fmpl::rdma_heap {
namespace {

constexpr const char* kFmpls[] = {"libpdgemm_fmpl.so", "libblacs_fmpl.so", "libfmpl.so", "libmpi_fmpl"};
constexpr const char* kAskedFor[] = {"libfmpl.so", "libpdgemm_fmpl.so", "blacs", "scalapack", "libmpi_fmpl"};
// Other MPIs' names, which are the shim's where that is loaded.
constexpr const char* kMpiNames[] = {"libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12", "libmpifort.so.12",
    "libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempi_ignore_tkr.so.40", "libmpi_usempif08.so.40",
    "libmpi_cxx.so.40", "libmpi_abi.so.0"};

const char* name_of(const char* path)
{
    const char* slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

// Whether the path's last part begins with one of the names.
template <std::size_t count>
bool is_one_of(const char* const (&names)[count], const char* path)
{
    for (const char* name : names) {
        if (std::strncmp(name_of(path), name, std::strlen(name)) == 0) return true;
    }
    return false;
}

// What --blacs and --mpi bring needs libfmpl itself.
bool is_preloaded(const char* path)
{
    return is_one_of(kFmpls, path) || is_one_of(kMpiNames, path);
}

bool is_asked_for(const char* needed, bool mpi_is_there)
{
    for (const char* word : kAskedFor) {
        if (std::strstr(needed, word) != nullptr) return true;
    }
    for (const char* library : kMpiNames) {
        if (mpi_is_there && std::strcmp(needed, library) == 0) return true;
    }
    return false;
}

int is_mpi(dl_phdr_info* object, size_t, void*)
{
    constexpr const char* kLibrary = "libmpi_fmpl";
    return std::strncmp(name_of(object->dlpi_name), kLibrary, std::strlen(kLibrary)) == 0 ? 1 : 0;
}

// The dynamic linker has made the address in the table absolute, except where the table is read-only.
const char* strings_of(const dl_phdr_info& object, const ElfW(Dyn) * dynamic)
{
    for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d) {
        if (d->d_tag != DT_STRTAB) continue;
        const ElfW(Addr) at = d->d_un.d_ptr;
        return reinterpret_cast<const char*>(at < object.dlpi_addr ? object.dlpi_addr + at : at);
    }
    return nullptr;
}

int look_into(dl_phdr_info* object, size_t, void* mpi_is_there)
{
    if (is_preloaded(object->dlpi_name)) return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const auto* dynamic = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        const char* strings = strings_of(*object, dynamic);
        for (const ElfW(Dyn)* d = dynamic; strings != nullptr && d->d_tag != DT_NULL; ++d) {
            if (d->d_tag == DT_NEEDED && is_asked_for(strings + d->d_un.d_val, *static_cast<bool*>(mpi_is_there))) {
                return 1;
            }
        }
    }
    return 0;
}

}  // namespace

bool program_needs_fmpl()
{
    bool mpi_is_there = dl_iterate_phdr(is_mpi, nullptr) != 0;
    return dl_iterate_phdr(look_into, &mpi_is_there) != 0;
}

}  // namespace fmpl::rdma_heap
