// The reference for PxGEMM: the routines of Debian's libscalapack, in the same process as those of libpdgemm_fmpl.
//
// The library is opened by itself (RTLD_LOCAL), so that its names hide none of the program's; its own calls of the
// BLACS find those of libblacs_fmpl first, because the program is linked with that. So both routines communicate
// through FMPL, and one grid serves both.
#pragma once

#include "pdgemm_library.hpp"

#include <complex>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

namespace fmpl_test {

// Its handle, or null when none is installed. The library stays open to the end of the process.
inline void* scalapack_library()
{
    static void* const handle = [] {
        for (const char* name : {"libscalapack-openmpi.so.2.2", "libscalapack-mpich.so.2.2"}) {
            if (void* found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
        }
        return static_cast<void*>(nullptr);
    }();
    return handle;
}

inline constexpr const char* scalapack_missing =
    "needs the Debian package libscalapack-openmpi2.2 or libscalapack-mpich2.2; as root: apt-get install "
    "libscalapack-openmpi2.2";

// The file that the code of a routine lies in.
inline std::string file_of(void* routine)
{
    Dl_info info{};
    return dladdr(routine, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "no file";
}

template <class T>
using Gemm = void(const char* transa, const char* transb, const int* m, const int* n, const int* k, const T* alpha,
    const T* a, const int* ia, const int* ja, const int* desca, const T* b, const int* ib, const int* jb,
    const int* descb, const T* beta, T* c, const int* ic, const int* jc, const int* descc);

template <class T>
struct GemmName;
template <>
struct GemmName<float> {
    static constexpr const char* symbol = "psgemm_";
    static constexpr Gemm<float>* ours = &psgemm_;
};
template <>
struct GemmName<double> {
    static constexpr const char* symbol = "pdgemm_";
    static constexpr Gemm<double>* ours = &pdgemm_;
};
template <>
struct GemmName<std::complex<float>> {
    static constexpr const char* symbol = "pcgemm_";
    static constexpr Gemm<std::complex<float>>* ours = &pcgemm_;
};
template <>
struct GemmName<std::complex<double>> {
    static constexpr const char* symbol = "pzgemm_";
    static constexpr Gemm<std::complex<double>>* ours = &pzgemm_;
};

// REQUIRES: scalapack_library().
template <class T>
Gemm<T>* scalapack_gemm()
{
    void* const found = dlsym(scalapack_library(), GemmName<T>::symbol);
    if (found == nullptr) throw std::runtime_error(std::string("libscalapack has no ") + GemmName<T>::symbol);
    return reinterpret_cast<Gemm<T>*>(found);
}

}  // namespace fmpl_test
