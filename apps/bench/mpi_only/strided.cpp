#include "strided.hpp"

#include "../job.hpp"
#include "../message_memory.hpp"
#include "../options.hpp"
#include "../report.hpp"
#include "manners.hpp"

#include <fmt/format.h>

#include <mpi.h>

#include <string>
#include <vector>

namespace fmpl::bench {
namespace {

using transport::check;

constexpr int kStridedTag = 6;
constexpr int kMostBlock = 1 << 20;

class StridedMessages {
public:
    StridedMessages(const Pairing& pairing, std::size_t bytes, std::size_t block)
        : pairing_(pairing),
          block_(block),
          blocks_(bytes / block),
          sent_(2 * bytes),
          received_(2 * bytes)
    {
        const int length = static_cast<int>(block);
        check(MPI_Type_vector(static_cast<int>(blocks_), length, 2 * length, MPI_BYTE, &type_));
        check(MPI_Type_commit(&type_));
    }
    ~StridedMessages() { MPI_Type_free(&type_); }
    StridedMessages(const StridedMessages&) = delete;
    StridedMessages& operator=(const StridedMessages&) = delete;

    void ping_pong()
    {
        if (pairing_.first()) {
            send();
            receive();
        } else {
            receive();
            send();
        }
    }
    void exchange()
    {
        check(MPI_Sendrecv(sent_.data(), 1, type_, pairing_.peer(), kStridedTag, received_.data(), 1, type_,
            pairing_.peer(), kStridedTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }

    // Whether each block arrives at its place, by either manner, and nothing between them.
    bool is_right()
    {
        const auto seed = [&](std::size_t block, bool here) {
            return 2 * block + static_cast<std::size_t>(pairing_.first() == here);
        };
        bool right = true;
        for (void (StridedMessages::*pass)() : {&StridedMessages::ping_pong, &StridedMessages::exchange}) {
            received_.assign(received_.size(), std::byte{0});
            for (std::size_t i = 0; i < blocks_; ++i) fill_pattern(block_of(sent_, i), block_, seed(i, true));
            (this->*pass)();
            for (std::size_t i = 0; i < blocks_; ++i) {
                const std::byte* const block = block_of(received_, i);
                right = right && has_pattern(block, block_, seed(i, false));
                for (std::size_t k = block_; k < 2 * block_; ++k) right = right && block[k] == std::byte{0};
            }
        }
        return right;
    }

private:
    std::byte* block_of(std::vector<std::byte>& buffer, std::size_t i) const { return buffer.data() + i * 2 * block_; }
    void send() { check(MPI_Send(sent_.data(), 1, type_, pairing_.peer(), kStridedTag, MPI_COMM_WORLD)); }
    void receive()
    {
        check(MPI_Recv(received_.data(), 1, type_, pairing_.peer(), kStridedTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }

    const Pairing& pairing_;
    std::size_t block_, blocks_;
    std::vector<std::byte> sent_, received_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::size_t block_of(const Options& options)
{
    return static_cast<std::size_t>(read_count("--block", options.own.at("--block"), 1, kMostBlock));
}

void settle_strided(Options& options)
{
    const std::size_t block = block_of(options);
    for (const std::size_t bytes : options.sizes) {
        if (bytes == 0 || bytes % block != 0)
            refuse(fmt::format("--sizes: {} is not a multiple of the block, {} bytes", bytes, block));
    }
}

void run_strided(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    const std::size_t block = block_of(options);
    report.line(
        fmt::format("messages in blocks of {} bytes, stride {}, between {}", block, 2 * block, pairing.words()));
    manner_columns(report);
    static constexpr Manner<StridedMessages> manners[] = {
        {"pingpong", &StridedMessages::ping_pong, 2}, {"exchange", &StridedMessages::exchange, 1}};
    for (const std::size_t bytes : options.sizes) {
        StridedMessages messages(pairing, bytes, block);
        all_must_be_right(!pairing.takes_part() || messages.is_right(), "strided: a message came wrong");
        for (const auto& manner : manners)
            measure_manner(options, pairing, report, messages, manner, bytes, reps_for(bytes, 8 * kMiB, 10, 2000));
    }
}

}  // namespace

Benchmark strided_benchmark()
{
    return {"strided", "Messages of a vector type, there and back and both ways at once",
        {4 * kKiB, 32 * kKiB, 128 * kKiB, kMiB}, 1, true, false, false, run_strided,
        {{"--block", "N", "Bytes of a block, between which lies as much (default: 256)", "256"}}, settle_strided, 2,
        MemoryKind::heap};
}

}  // namespace fmpl::bench
