#include "observation_output.hpp"

#include "statistics_text.hpp"

#include "error.hpp"

#include <algorithm>
#include <cerrno>
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

}  // namespace

ObservationOutput::ObservationOutput(const Options& options) : options_(options)
{
    if (!options.statistics_file.empty() && options.statistics_file == options.trace_file)
        fail(FMPL_ERR_ARGUMENT, "--stats-json and --trace name one file, {}; give two", options.trace_file);
    statistics_ = open("--stats-json", options.statistics_file);
    trace_ = open("--trace", options.trace_file);
}

ObservationOutput::File ObservationOutput::open(const char* option, const std::string& path)
{
    if (path.empty()) return nullptr;
    File file(std::fopen(path.c_str(), "we"));
    if (!file)
        fail(
            FMPL_ERR_ARGUMENT, "{} {}: cannot be written: {}; nothing was started", option, path, std::strerror(errno));
    return file;
}

void ObservationOutput::prepare(JobSpec& spec) const
{
    spec.statistics = options_.statistics || statistics_ || trace_;
    if (trace_) spec.trace_events = trace_events(spec.ranks);
}

bool ObservationOutput::close(File file, const std::string& path, const std::function<void(const std::string&)>& say)
{
    errno = 0;
    const bool was_bad = std::ferror(file.get()) != 0;
    if (std::fclose(file.release()) == 0 && !was_bad) return true;
    say(fmt::format(
        "fmplrun: {} cannot be written: {}\n", path, errno != 0 ? std::strerror(errno) : "an error on the way"));
    return false;
}

bool ObservationOutput::write(const JobMemory& memory, int status, const std::function<void(const std::string&)>& say)
{
    if (!options_.statistics && !statistics_ && !trace_) return true;
    bool good = true;
    const JobStatistics statistics(memory);
    if (options_.statistics) say(statistics_text(statistics));
    if (statistics_) {
        write_statistics_json(statistics_.get(), statistics, options_, status);
        good = close(std::move(statistics_), options_.statistics_file, say) && good;
    }
    if (!trace_) return good;
    write_trace_json(trace_.get(), statistics, options_);
    good = close(std::move(trace_), options_.trace_file, say) && good;
    std::uint64_t kept = 0, dropped = 0;
    int of_ranks = 0;
    for (const RankStatistics& rank : statistics.ranks()) {
        kept += rank.events;
        dropped += rank.dropped;
        of_ranks += rank.dropped > 0 ? 1 : 0;
    }
    if (dropped > 0) {
        say(fmt::format(
            "fmplrun: the trace lacks {} of {} calls, of {} rank{}: the last ones, for which there was no room "
            "(FMPL_TRACE_EVENTS={} a rank)\n",
            dropped, kept + dropped, of_ranks, of_ranks == 1 ? "" : "s", memory.control().trace_events));
    }
    return good;
}

std::string json_string(std::string_view text)
{
    // The length of the well-formed UTF-8 sequence that begins at i; 0: there is none.
    const auto sequence = [&](std::size_t i) -> std::size_t {
        const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
        const unsigned char first = byte(i);
        const std::size_t length = first < 0x80   ? 1
                                   : first < 0xc2 ? 0
                                   : first < 0xe0 ? 2
                                   : first < 0xf0 ? 3
                                   : first < 0xf5 ? 4
                                                  : 0;
        if (length == 0 || i + length > text.size()) return 0;
        for (std::size_t k = 1; k < length; ++k) {
            if ((byte(i + k) & 0xc0) != 0x80) return 0;
        }
        if (first == 0xe0 && byte(i + 1) < 0xa0) return 0;   // longer than need be
        if (first == 0xed && byte(i + 1) >= 0xa0) return 0;  // half of a pair of UTF-16
        if (first == 0xf0 && byte(i + 1) < 0x90) return 0;
        if (first == 0xf4 && byte(i + 1) >= 0x90) return 0;
        return length;
    };
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const std::size_t length = sequence(i);
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
