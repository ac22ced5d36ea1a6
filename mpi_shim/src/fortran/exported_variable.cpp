#include "fortran/exported_variable.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace fmpl::mpi::fortran {

const link_map* object_of(const void* address)
{
#if __GLIBC_PREREQ(2, 35)
    dl_find_object found;
    return _dl_find_object(const_cast<void*>(address), &found) == 0 ? found.dlfo_link_map : nullptr;
#else
    Dl_info info;
    void* object = nullptr;
    return dladdr1(address, &info, &object, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(object) : nullptr;
#endif
}

namespace {

std::uint32_t gnu_hash(const char* name)
{
    std::uint32_t hash = 5381;
    for (; *name != 0; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
    return hash;
}

}  // namespace

// The table of DT_GNU_HASH: four numbers, a Bloom filter, the first symbol of each bucket, and for each symbol its
// hash, whose lowest bit ends the bucket. Linkers write no other by default.
const void* exported_variable(const link_map& object, const char* name)
{
    const std::uint32_t* table = nullptr;
    const ElfW(Sym)* symbols = nullptr;
    const char* names = nullptr;
    for (const ElfW(Dyn)* entry = object.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        // The dynamic linker has made these addresses, but for the object that the kernel brings.
        const auto at = entry->d_un.d_ptr < object.l_addr ? entry->d_un.d_ptr + object.l_addr : entry->d_un.d_ptr;
        if (entry->d_tag == DT_GNU_HASH) table = reinterpret_cast<const std::uint32_t*>(at);
        if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at);
        if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at);
    }
    if (table == nullptr || symbols == nullptr || names == nullptr) return nullptr;

    const std::uint32_t bucket_count = table[0];
    const std::uint32_t first_symbol = table[1];
    const std::uint32_t filter_words = table[2];
    const std::uint32_t filter_shift = table[3];
    if (bucket_count == 0 || filter_words == 0) return nullptr;
    const auto* filter = reinterpret_cast<const ElfW(Addr)*>(table + 4);
    const auto* buckets = reinterpret_cast<const std::uint32_t*>(filter + filter_words);
    const std::uint32_t* hashes = buckets + bucket_count;

    constexpr std::uint32_t kBits = 8 * sizeof(ElfW(Addr));
    const std::uint32_t hash = gnu_hash(name);
    const ElfW(Addr) word = filter[(hash / kBits) % filter_words];
    if ((word >> (hash % kBits) & word >> ((hash >> filter_shift) % kBits) & 1) == 0) return nullptr;
    std::uint32_t i = buckets[hash % bucket_count];
    if (i < first_symbol) return nullptr;
    for (;; ++i) {
        const std::uint32_t of_symbol = hashes[i - first_symbol];
        if ((of_symbol | 1) == (hash | 1) && symbols[i].st_shndx != SHN_UNDEF &&
            std::strcmp(names + symbols[i].st_name, name) == 0)
            return reinterpret_cast<const void*>(object.l_addr + symbols[i].st_value);
        if ((of_symbol & 1) != 0) return nullptr;
    }
}

}  // namespace fmpl::mpi::fortran
