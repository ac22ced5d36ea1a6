#include "../benchmarks.hpp"

namespace fmpl::bench {

std::span<const Benchmark> benchmarks()
{
    static const std::vector<Benchmark> all = message_benchmarks();
    return all;
}

}  // namespace fmpl::bench
