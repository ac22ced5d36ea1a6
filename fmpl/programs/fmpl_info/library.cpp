#include "library.hpp"

#include "coll/bcast/choose.hpp"
#include "coll/collectives.hpp"
#include "coll/reduce/choose.hpp"
#include "coll/station.hpp"
#include "crossbar/byte_words.hpp"
#include "crossbar/control_block.hpp"
#include "p2p/node.hpp"
#include "p2p/records.hpp"
#include "p2p/thresholds.hpp"

#include <fmpl.h>

#include <fmt/format.h>

namespace fmpl::info {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif
constexpr int kMostIndices = 1048576;  // as fmpl.h promises

Fact size(const char* key, std::size_t bytes, const char* why)
{
    return {key, bytes, short_bytes(bytes), why};
}

Fact number(const char* key, long value, const char* why)
{
    return {key, value, fmt::format("{}", value), why};
}

}  // namespace

Section installation()
{
    const std::string version = fmt::format("{}.{}.{}", FMPL_VERSION_MAJOR, FMPL_VERSION_MINOR, FMPL_VERSION_PATCH);
    return {"fmpl", "FMPL",
        {{"version", version, version, ""}, {"compiler", kCompiler, kCompiler, ""},
            {"memory_layout", kControlVersion, fmt::format("version {}", kControlVersion),
                "fmplrun and the program's libfmpl must have the same"},
            {"engines", {"shm", "unmapped"}, "shm, unmapped",
                "shm: ranks of one host address each other's memory; unmapped: shm without that, for tests"},
            {"profiles", {"host", "sr8000"}, "host, sr8000",
                "host: no restriction; sr8000: hardware barrier and broadcast under the SR8000's conditions"}}};
}

Section limits()
{
    return {"limits", "Sizes and thresholds",
        {number("ranks", kMaxRanks, "of a job"),
            number("indices", kMostIndices, "of a pair of ranks in a communicator: count of fmpl_init"),
            number("crossbar_dimensions", 3, "by default of up to 8 nodes each; the third grows beyond"),
            number("barrier_colours", kBarrierColours, "communicators with a hardware barrier at a time"),
            size("inline_bytes", kInlineBytes, "a message up to this travels in its completion record"),
            size("lane_bytes", kLaneBytes, "one up to this in a record that its source and destination share"),
            size("any_inline_bytes", kAnyInlineBytes, "the same for fmpl_send_any"),
            number(
                "any_credits", static_cast<long>(kAnyCells), "messages of fmpl_send_any under way from rank to rank"),
            size("pipe_piece", kPieceBytes, "in pieces of this a message outside remote-DMA memory passes"),
            size("pipe_ring", kRingBytes, "through a ring of this"),
            size("bcast_inline_bytes", kBroadcastInlineBytes, "a hardware broadcast up to this travels in its record"),
            size("bcast_buffer", kBroadcastBufferBytes, "each of the library buffers for longer ones, used in turn"),
            size("bcast_whole_bytes", kBroadcastWholeBytes,
                "a hardware broadcast from this on, in remote-DMA memory, is read from the root's own buffer"),
            size("bcast_whole_root_stays", kBroadcastWholeBytesRootStays, "the same from a root that stays"),
            size("bcast_whole_few_cpus", kBroadcastWholeBytesSharedCpus,
                "the same where there are more ranks than CPUs, and it is not divided among them"),
            size("bcast_whole_private", kBroadcastWholePrivateBytes,
                "the same from other memory, where the kernel lets the ranks copy from and to each other"),
            size("bcast_whole_private_few_cpus", kBroadcastWholePrivateBytesSharedCpus,
                "and that where there are more ranks than CPUs, but no more than two a CPU"),
            size("bcast_shared_bytes", kBroadcastSharedBytes,
                "such a broadcast between two ranks is copied by both from this on"),
            size("bcast_partition_bytes", kBroadcastPartitionBytes,
                "such a broadcast from this on is divided among those that run, where two ranks at most share a CPU"),
            size("shared_bytes", kSharedBytes,
                "where each rank has a CPU, a message from this on, in remote-DMA memory, is copied by both ranks"),
            size("shared_private_bytes", kSharedPrivateBytes,
                "the same from or to other memory, where the kernel lets a rank copy from and to another process"),
            size("copied_bytes", kCopiedBytes,
                "a blocking send up to this from other memory copies it to remote-DMA memory for the receiver to take"),
            size("stage_bytes", kStageBytes,
                "a nonblocking send up to this from other memory is copied to remote-DMA memory at once"),
            size("exchange_bytes", kMostExchangeBytes,
                "the most that a rank gives in an exchange (fmpl/exchange.h), as short collective calls of the MPI "
                "are"),
            size("reduce_deposit", kDepositBytes,
                "a larger hardware reduction is divided among the ranks in place, in remote-DMA memory or, where the "
                "kernel lets the ranks copy from and to each other, from the next sizes on; else in pieces of this"),
            size("reduce_deposit_of_two", DepositRing().longest_of_two(),
                "the same of a reduce of two ranks; of their allreduce less than reduce private bytes to all"),
            size("reduce_private_bytes", kReducePrivateBytes,
                "where each of more than two ranks has a CPU, the kernel reads operands of a reduce in other memory "
                "from this on"),
            size(
                "reduce_private_bytes_to_all", kReducePrivateBytesToAll, "the same of an allreduce, also of two ranks"),
            size("reduce_private_bytes_shared_cpus", kReducePrivateBytesSharedCpus,
                "the same where two ranks share a CPU, but of a reduce by CPU; where more do, never"),
            size("reduce_pair_in_place", kPairInPlaceBytes,
                "a reduce of two ranks that have a CPU each uses buffers in remote-DMA memory where they lie from this "
                "on"),
            size("reduce_pair_in_place_root_stays", kPairInPlaceBytesRootStays, "the same where the root stays"),
            size("reduce_pair_in_place_to_all", kPairInPlaceBytesToAll, "and an allreduce of two"),
            size("reduce_pair_in_place_shared_cpu", kPairInPlaceBytesSharedCpu, "and both where the two share a CPU"),
            size("reduce_partition_bytes", kPartitionBytes,
                "a hardware reduction is divided among the ranks from this on for each rank that a CPU has; a reduce "
                "of ranks that share CPUs if it is longer than reduce deposit"),
            size("reduce_ahead_of_cpu", DepositRing::kBytesOfCpu,
                "so much together the ranks of a CPU may be ahead of the root of their reduces; one operand that goes "
                "by CPU may be half a rank's share"),
            size("allreduce_by_last", kByLastBytes,
                "where ranks share CPUs, an allreduce up to this by the last to arrive, a longer one divided"),
            size("allreduce_by_last_of_three", kByLastBytesOfThree, "the same of three ranks")}};
}

}  // namespace fmpl::info
