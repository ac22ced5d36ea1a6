// One-way time of short messages by ping-pong (paper, section 5.1), and beside it, alternating with it batch by batch,
// the time of a cache line between the same two ranks.
#include "benchmarks.hpp"
#include "bouncing_line.hpp"
#include "byte_message.hpp"
#include "ping_pong.hpp"
#include "report.hpp"
#include "transport.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>

namespace fmpl::bench {
namespace {

constexpr std::size_t kShownBytes = 8;  // the message of which the paper speaks

}  // namespace

void run_latency(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    BouncingLine line(pairing, !job.cpus_suffice());
    const bool has_floor = line.problem().empty();

    report.line(fmt::format("one-way time between {}{}", pairing.words(),
        !has_floor           ? fmt::format("; the floor cannot be measured: {}", line.problem())
        : job.cpus_suffice() ? "; floor: a cache line bouncing between them"
                             : "; beside it a cache line with yields: no lower bound, since ranks share CPUs"));
    std::vector<std::string> columns = {"bytes", "reps"};
    columns.insert(columns.end(), time_columns().begin(), time_columns().end());
    if (has_floor) columns.insert(columns.end(), {"floor us", fmt::format("{}/floor", transport::kShortName)});
    report.columns(columns);

    std::optional<double> shown_ratio;
    for (const std::size_t bytes : options.sizes) {
        const BufferPool pool(bytes, 0);
        with_message_memory(options.memory, pool.total_bytes(), [&](std::byte* memory) {
            const PingPong ping_pong(pairing, ByteMessage{bytes}, pool, memory);
            std::vector<Batch> activities = {std::cref(ping_pong)};
            if (has_floor) activities.push_back(std::ref(line));
            auto [reps, seconds] =
                sample(options.sampling(latency_reps(bytes)), pairing.group(), pairing.takes_part(), activities);
            all_must_be_right(ping_pong.verify(), "latency: a message came back wrong");

            for (auto& of_one : seconds) halve(of_one);
            std::vector<std::string> cells = {fmt::format("{}", bytes), fmt::format("{}", reps)};
            for (std::string& cell : time_cells(seconds[0])) cells.push_back(std::move(cell));
            nlohmann::json result{{"bytes", bytes}, {"reps", reps}, {"seconds", json_of(seconds[0])}};
            if (has_floor) {
                const double floor = summarize(seconds[1]).median;
                const double ratio = summarize(seconds[0]).median / floor;
                cells.push_back(microseconds(floor));
                cells.push_back(fmt::format("{:.2f}", ratio));
                result["floor_seconds"] = json_of(seconds[1]);
                result["ratio"] = ratio;
                if (bytes == kShownBytes) shown_ratio = ratio;
            }
            report.row(cells, std::move(result));
        });
    }
    if (shown_ratio && job.cpus_suffice())
        report.line(fmt::format("{} bytes: {}/floor = {:.2f}", kShownBytes, transport::kShortName, *shown_ratio));
    report.add("floor", !has_floor           ? "not measured: " + line.problem()
                        : job.cpus_suffice() ? "spins"
                                             : "yields, no bound");
}

}  // namespace fmpl::bench
