// Host, memory, time, the end by MPI_Abort (MPI-3.1, sections 8.1, 8.2, 8.6, 8.7) and MPI_Pcontrol (14.2).
#include "abi/boundary.hpp"
#include "c/text_result.hpp"
#include "environment/info.hpp"

#include <fmpl/remote.h>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace fmpl::mpi;

int PMPI_Get_processor_name(char* name, int* resultlen)
{
    return call("MPI_Get_processor_name", [&](Process&) {
        check_pointer(name, "name");
        check_pointer(resultlen, "resultlen");
        char host[MPI_MAX_PROCESSOR_NAME] = {};
        if (gethostname(host, sizeof host - 1) != 0)
            fail(ErrorClass::other, "the host has no name: {}", std::strerror(errno));
        give_text(host, name, resultlen, MPI_MAX_PROCESSOR_NAME);
    });
}
FMPL_MPI_NAME(MPI_Get_processor_name)

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr)
{
    return call("MPI_Alloc_mem", [&](Process& process) {
        if (size < 0) fail(ErrorClass::argument, "size = {} is negative; give 0 or more", size);
        check_hints(process.environment, number_of(info));
        check_pointer(baseptr, "baseptr");
        // Also of nothing the address is a new one.
        const std::size_t bytes = std::max<std::size_t>(static_cast<std::size_t>(size), 1);
        auto origin = Environment::Origin::remote_dma;
        void* memory = fmpl_try_malloc(bytes);
        if (memory == nullptr) {
            origin = Environment::Origin::heap;
            memory = std::malloc(bytes);
        }
        if (memory == nullptr) fail(ErrorClass::no_mem, "there is no room for size = {} bytes", size);
        process.environment.allocated.emplace(memory, origin);
        std::memcpy(baseptr, &memory, sizeof memory);
    });
}
FMPL_MPI_NAME(MPI_Alloc_mem)

int PMPI_Free_mem(void* base)
{
    return call("MPI_Free_mem", [&](Process& process) {
        auto& allocated = process.environment.allocated;
        const auto found = allocated.find(base);
        if (found == allocated.end()) {
            fail(ErrorClass::base, "base = {} is not memory of MPI_Alloc_mem, or was freed", fmt::ptr(base));
        }
        const auto origin = found->second;
        allocated.erase(found);
        if (origin == Environment::Origin::remote_dma) {
            fmpl_free(base);
        } else {
            std::free(base);
        }
    });
}
FMPL_MPI_NAME(MPI_Free_mem)

double PMPI_Wtime(void)
{
    return fmpl_wtime();
}
FMPL_MPI_NAME(MPI_Wtime)

double PMPI_Wtick(void)
{
    timespec resolution{};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return static_cast<double>(resolution.tv_sec) + 1e-9 * static_cast<double>(resolution.tv_nsec);
}
FMPL_MPI_NAME(MPI_Wtick)

int PMPI_Abort(MPI_Comm comm, int errorcode)
{
    return call_on("MPI_Abort", comm, [&](Process& process) {
        // Whatever the communicator is, the program wants to end.
        const CommunicatorPtr* const known = comm == MPI_COMM_WORLD  ? &process.world
                                             : comm == MPI_COMM_SELF ? &process.self
                                                                     : process.communicators.find(number_of(comm));
        const std::string on = known != nullptr && !(*known)->name.empty() ? " on " + (*known)->name : "";
        const int status = errorcode >= 1 && errorcode <= 255 ? errorcode : 1;
        fmpl_abort(
            status, fmt::format("MPI_Abort{}: the program ended the job with error code {}", on, errorcode).c_str());
    });
}
FMPL_MPI_NAME(MPI_Abort)

int PMPI_Pcontrol(const int, ...)
{
    return MPI_SUCCESS;
}
FMPL_MPI_NAME(MPI_Pcontrol)
