#include "program_facts.hpp"

#include "transport.hpp"

namespace fmpl::bench {

ProgramFacts program_facts()
{
    return {transport::kProgram, FMPL_BENCH_VERSION, transport::kLauncher, transport::library(), transport::kAllocator,
        transport::kMostMessageBytes};
}

}  // namespace fmpl::bench
