#include "../benchmarks.hpp"

#include "collectives.hpp"
#include "polling.hpp"
#include "strided.hpp"
#include "ways.hpp"
#include "windows.hpp"

namespace fmpl::bench {

std::span<const Benchmark> benchmarks()
{
    static const std::vector<Benchmark> all = [] {
        std::vector<Benchmark> list = message_benchmarks();
        list.push_back({"polling", "Ranks that poll by MPI_Test, MPI_Iprobe and their like where they could wait", {},
            1, false, false, false, run_polling});
        list.push_back(collectives_benchmark());
        list.push_back(windows_benchmark());
        list.push_back(strided_benchmark());
        list.push_back(ways_benchmark());
        return list;
    }();
    return all;
}

}  // namespace fmpl::bench
