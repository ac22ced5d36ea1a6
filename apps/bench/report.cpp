#include "report.hpp"

#include "transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

#include <sys/utsname.h>
#include <unistd.h>

namespace fmpl::bench {
namespace {

constexpr std::size_t kLeastWidth = 11;

std::string compiler()
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

// The variables that change how the library works belong to the result.
nlohmann::json settings()
{
    nlohmann::json variables = nlohmann::json::object();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const std::size_t equals = variable.find('=');
        const std::string name(variable.substr(0, equals));
        if (!transport::is_setting(name)) continue;
        variables[name] = variable.substr(std::min(variable.size(), equals + 1));
    }
    return variables;
}

bool has_messages(const Options& options)
{
    return !options.benchmark->default_sizes.empty();
}

nlohmann::json json_of(const Options& options)
{
    nlohmann::json json{{"samples", options.samples}};
    json["reps"] = options.reps > 0 ? nlohmann::json(options.reps) : nlohmann::json("by size");
    if (options.batch_ms > 0 && options.reps == 0) json["batch_ms"] = options.batch_ms;
    if (options.nearer_than_ns > 0) json["nearer_than_ns"] = options.nearer_than_ns;
    json["warmup"] = options.warmup >= 0 ? nlohmann::json(options.warmup) : nlohmann::json("one batch");
    if (!options.sizes.empty()) json["sizes"] = options.sizes;
    if (has_messages(options)) json["memory"] = memory_name(options.memory);
    if (options.benchmark->has_pairs) {
        json["pairs"] = options.pairs == Pairs::first        ? "first"
                        : options.pairs == Pairs::neighbours ? "neighbours"
                                                             : "halves";
    }
    if (options.benchmark->has_outstanding) json["outstanding"] = options.outstanding;
    if (options.benchmark->has_footprint) json["footprint"] = options.footprint;
    for (const OwnOption& own : options.benchmark->own_options) json[own.name + 2] = options.own.at(own.name);
    return json;
}

}  // namespace

Report::Report(const Options& options, const Job& job) : speaks_(job.rank == 0), json_file_(options.json_file)
{
    if (!speaks_) return;
    const std::string library = transport::library();
    utsname system{};
    uname(&system);
    document_ = {
        {"program", transport::kProgram},
        {"benchmark", options.benchmark->name},
        {"version", FMPL_BENCH_VERSION},
        {"library", library},
        {"compiler", compiler()},
        {"machine",
            {{"cpu", job.cpu_model}, {"cpus", job.cpus}, {"architecture", system.machine}, {"kernel", system.release}}},
        {"ranks", job.ranks},
        {"options", json_of(options)},
        {"variables", settings()},
        {"results", nlohmann::json::array()},
    };
    const std::string memory = has_messages(options) ? fmt::format(", {} memory", memory_name(options.memory)) : "";
    line(fmt::format("{} {}: {} ranks on {} CPU{}{}, {} batch{}", library, options.benchmark->name, job.ranks, job.cpus,
        job.cpus == 1 ? "" : "s", memory, options.samples, options.samples == 1 ? "" : "es"));
}

void Report::line(const std::string& words)
{
    if (!speaks_) return;
    fmt::print("{}\n", words);
    std::fflush(stdout);
}

void Report::columns(const std::vector<std::string>& names)
{
    widths_.clear();
    std::string text;
    for (const std::string& name : names) {
        widths_.push_back(std::max(kLeastWidth, name.size() + 2));
        text += fmt::format("{:>{}}", name, widths_.back());
    }
    line(text);
}

void Report::row(const std::vector<std::string>& cells, nlohmann::json result)
{
    if (!speaks_) return;
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) text += fmt::format("{:>{}}", cells[i], widths_[i]);
    line(text);
    document_["results"].push_back(std::move(result));
}

void Report::add(const std::string& key, nlohmann::json value)
{
    if (speaks_) document_[key] = std::move(value);
}

bool Report::finish() const
{
    if (!speaks_ || json_file_.empty()) return true;
    std::ofstream file(json_file_);
    file << document_.dump(2) << '\n';
    file.close();
    if (file.good()) return true;
    fmt::print(stderr, "{}: the results cannot be written to '{}': {}\n", transport::kProgram, json_file_,
        std::strerror(errno));
    return false;
}

const std::vector<std::string>& time_columns()
{
    static const std::vector<std::string> names = {"median us", "min us", "q1 us", "q3 us"};
    return names;
}

std::vector<std::string> time_cells(const std::vector<double>& seconds)
{
    const Summary summary = summarize(seconds);
    return {microseconds(summary.median), microseconds(summary.min), microseconds(summary.quartile1),
        microseconds(summary.quartile3)};
}

std::string microseconds(double seconds)
{
    return fmt::format("{:.3f}", seconds * 1e6);
}

std::string gigabytes_per_second(double bytes, double seconds)
{
    return seconds > 0 ? fmt::format("{:.3f}", bytes / seconds * 1e-9) : "-";
}

nlohmann::json json_of(const std::vector<double>& seconds)
{
    const Summary summary = summarize(seconds);
    return {{"median", summary.median}, {"min", summary.min}, {"quartile1", summary.quartile1},
        {"quartile3", summary.quartile3}, {"samples", seconds}};
}

}  // namespace fmpl::bench
