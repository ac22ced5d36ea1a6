#include "../benchmarks.hpp"

#include "polling.hpp"

namespace fmpl::bench {

std::span<const Benchmark> benchmarks()
{
    static const std::vector<Benchmark> all = [] {
        std::vector<Benchmark> list = message_benchmarks();
        list.push_back({"polling", "Ranks that poll by MPI_Test, MPI_Iprobe and their like where they could wait", {},
            1, false, false, false, run_polling});
        return list;
    }();
    return all;
}

}  // namespace fmpl::bench
