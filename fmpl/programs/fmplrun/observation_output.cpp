#include "observation_output.hpp"

#include "printable.hpp"
#include "statistics_text.hpp"

#include "error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace fmpl::launcher {
namespace {

// Kept by each rank, and, with many, by all: 4 MiB a rank, at most 256 MiB.
constexpr std::size_t kEventsOfRank = std::size_t{1} << 17;
constexpr std::size_t kEventsOfAll = std::size_t{1} << 23;

std::size_t trace_events(int ranks)
{
    const char* text = std::getenv("FMPL_TRACE_EVENTS");
    if (text == nullptr || *text == '\0')
        return std::min(kEventsOfRank, kEventsOfAll / static_cast<std::size_t>(ranks));
    std::size_t events = 0;
    const char* end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, events);
    if (error != std::errc{} || rest != end || events == 0)
        fail(FMPL_ERR_ARGUMENT, "FMPL_TRACE_EVENTS={} is not a number of calls greater than 0", text);
    return events;
}

// A line, or "".
std::string words_about_dropped(const JobStatistics& statistics, std::uint64_t room)
{
    std::uint64_t kept = 0, dropped = 0;
    int of_ranks = 0;
    for (const RankStatistics& rank : statistics.ranks()) {
        kept += rank.events;
        dropped += rank.dropped;
        of_ranks += rank.dropped > 0 ? 1 : 0;
    }
    if (dropped == 0) return "";
    return fmt::format(
        "fmplrun: the trace lacks {} of {} calls, of {} rank{}: the last ones, for which there was no room "
        "(FMPL_TRACE_EVENTS={} a rank)\n",
        dropped, kept + dropped, of_ranks, of_ranks == 1 ? "" : "s", room);
}

}  // namespace

ObservationOutput::ObservationOutput(const Options& options) : options_(options)
{
    if (!options.statistics_file.empty() && options.statistics_file == options.trace_file)
        fail(FMPL_ERR_ARGUMENT, "--stats-json and --trace name one file, {}; give two", options.trace_file);
    if (!options.statistics_file.empty()) statistics_.emplace("--stats-json", options.statistics_file);
    if (!options.trace_file.empty()) trace_.emplace("--trace", options.trace_file);
}

void ObservationOutput::prepare(JobSpec& spec) const
{
    spec.statistics = options_.statistics || statistics_ || trace_;
    if (trace_) spec.trace_events = trace_events(spec.ranks);
}

bool ObservationOutput::write(const JobMemory& memory, int status, const std::function<void(const std::string&)>& say)
{
    if (!options_.statistics && !statistics_ && !trace_) return true;
    try {
        const JobStatistics statistics(memory);
        bool good = true;
        const auto close = [&](OutputFile& file) {
            const std::string error = file.close();
            if (!error.empty()) say("fmplrun: " + error + "\n");
            good = good && error.empty();
        };
        if (options_.statistics) say(statistics_text(statistics));
        if (statistics_) {
            write_statistics_json(*statistics_, statistics, options_, status);
            close(*statistics_);
        }
        if (trace_) {
            write_trace_json(*trace_, statistics, options_);
            close(*trace_);
            say(words_about_dropped(statistics, memory.constants().trace_events));
        }
        return good;
    } catch (const Error& error) {
        say(fmt::format("fmplrun: no statistics: {}\n", error.what()));
        return false;
    }
}

std::string json_string(std::string_view text)
{
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const std::size_t length = utf8_length(text, i);
        if (length == 0) {
            out += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += text.substr(i, length);
        }
        i += std::max<std::size_t>(length, 1);
    }
    return out + "\"";
}

}  // namespace fmpl::launcher
