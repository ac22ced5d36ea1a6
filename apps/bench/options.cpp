#include "options.hpp"

#include "../command_line.hpp"
#include "program_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string_view>

namespace fmpl::bench {
namespace {

constexpr int kBadOptions = 2;
constexpr std::size_t kMostBytes = std::size_t{1} << 40;
constexpr int kMostReps = 1'000'000'000;
constexpr int kMostBatch_ms = 3'600'000;
constexpr int kMostSamples = 100'000;
constexpr int kMostNearerThan_ns = 1'000'000;
constexpr int kMostOutstanding = 1'000'000;
constexpr const char* kDefaultOutstanding = "256,512,4096";

constexpr const char* kDefaultFootprint = "0";

std::size_t read_bytes(const std::string& option, const std::string& text)
{
    std::string_view number = text;
    int shift = 0;
    constexpr std::string_view suffixes = "KMGkmg";
    if (!number.empty()) {
        const std::size_t suffix = suffixes.find(number.back());
        if (suffix != std::string_view::npos) {
            shift = 10 * (static_cast<int>(suffix % 3) + 1);
            number.remove_suffix(1);
        }
    }
    const auto value = command_line::number<std::uint64_t>(number);
    if (!value) refuse(fmt::format("{} '{}': give a number of bytes, such as 8, 64K or 1M", option, text));
    if (*value > kMostBytes >> shift) refuse(fmt::format("{} '{}': at most 1024G is possible", option, text));
    return static_cast<std::size_t>(*value) << shift;
}

// The first is the default.
std::span<const MemoryKind> memory_kinds()
{
    static constexpr MemoryKind all[] = {
        MemoryKind::rdma, MemoryKind::heap, MemoryKind::stack, MemoryKind::static_data};
    return std::span(all).subspan(program_facts().allocator == nullptr ? 1 : 0);
}

// "a, b or c"
template <class Range, class Name>
std::string one_of(const Range& range, const Name& name)
{
    std::string text;
    for (std::size_t i = 0; i < range.size(); ++i) {
        text += i == 0 ? "" : i + 1 < range.size() ? ", " : " or ";
        text += name(range[i]);
    }
    return text;
}

MemoryKind read_memory(const std::string& text)
{
    for (const MemoryKind kind : memory_kinds()) {
        if (text == memory_name(kind)) return kind;
    }
    refuse(fmt::format("--memory '{}': give {}", text, one_of(memory_kinds(), memory_name)));
}

std::string list_of(const std::vector<std::size_t>& sizes)
{
    std::string text;
    for (const std::size_t size : sizes) {
        if (!text.empty()) text += ',';
        const int shift = size == 0 ? 0 : size % (1u << 20) == 0 ? 20 : size % (1u << 10) == 0 ? 10 : 0;
        text += fmt::format("{}{}", size >> shift, shift == 20 ? "M" : shift == 10 ? "K" : "");
    }
    return text;
}

// The options as typed, before they are read.
struct Words {
    std::string sizes, reps, warmup, samples = "11", batch_ms = "0", memory = memory_name(memory_kinds().front());
    std::string outstanding = kDefaultOutstanding, footprint = kDefaultFootprint, nearer_than = "0";
};

void add_options(CLI::App& command, const Benchmark& benchmark, Options& options, Words& words)
{
    if (!benchmark.default_sizes.empty()) {
        const std::string unit = benchmark.size_unit > 1 ? fmt::format("multiples of {}, ", benchmark.size_unit) : "";
        command
            .add_option("--sizes", words.sizes,
                fmt::format("Bytes of a message: a list, {}with suffix K, M or G (default: {})", unit,
                    list_of(benchmark.default_sizes)))
            ->type_name("LIST");
    }
    if (!benchmark.default_sizes.empty() && !benchmark.only_memory) {
        command
            .add_option("--memory", words.memory,
                fmt::format("Where the messages lie at both ends: {} (default: {})",
                    one_of(memory_kinds(),
                        [](MemoryKind kind) {
                            const bool own = kind == MemoryKind::rdma;
                            return own ? fmt::format("rdma ({})", program_facts().allocator) : memory_name(kind);
                        }),
                    words.memory))
            ->type_name("KIND");
    }
    command.add_option("--reps", words.reps, "Operations in a timed batch (default: by size, shown in the table)")
        ->type_name("N");
    command.add_option("--warmup", words.warmup, "Operations before the first batch of each size (default: one batch)")
        ->type_name("N");
    command.add_option("--samples", words.samples, "Timed batches (default: 11)")->type_name("N");
    if (!benchmark.has_outstanding) {
        command
            .add_option("--batch-ms", words.batch_ms,
                "Fewer operations in a batch where they would take longer than this many milliseconds; 0: never "
                "(default: 0)")
            ->type_name("N");
    }
    if (benchmark.has_pairs) {
        const auto add_pairs = [&](const char* name, Pairs pairs, const char* meaning) {
            return command.add_flag_callback(
                name, [&options, pairs] { options.pairs = pairs; }, meaning);
        };
        CLI::Option* const neighbours =
            add_pairs("--pairs", Pairs::neighbours, "Between ranks 2i and 2i+1 for all i, not ranks 0 and 1 alone");
        add_pairs("--far-pairs", Pairs::halves, "Between ranks i and i+n/2 for all i, of n")->excludes(neighbours);
    }
    if (benchmark.has_outstanding) {
        command
            .add_option("--outstanding", words.outstanding,
                fmt::format("Receives posted in advance: a list (default: {})", kDefaultOutstanding))
            ->type_name("LIST");
    }
    if (benchmark.has_footprint) {
        command
            .add_option("--footprint", words.footprint,
                fmt::format(
                    "Bytes of buffers at each end that the messages take in turn, so that they lie outside a core's "
                    "caches; 0: two, one for each way, again and again (default: {})",
                    kDefaultFootprint))
            ->type_name("BYTES");
    }
    command
        .add_option("--nearer-than", words.nearer_than,
            "Of two ranks: time a batch again while a cache line takes so many nanoseconds or more from one to the "
            "other and back; 0: never (default: 0)")
        ->type_name("NS");
    for (const OwnOption& own : benchmark.own_options) {
        options.own[own.name] = own.default_text;
        command.add_option(own.name, options.own[own.name], own.words)->type_name(own.type);
    }
    command.add_option("--json", options.json_file, "Also write machine, options and every sample to this file")
        ->type_name("FILE");
}

}  // namespace

void refuse(const std::string& words)
{
    throw OptionsEnd(
        kBadOptions, fmt::format("{0}: {1}\n{0} --help explains the options.\n", program_facts().program, words));
}

int read_count(const std::string& option, const std::string& text, int least, int most)
{
    const auto value = command_line::number<std::uint64_t>(text);
    if (!value || *value < static_cast<std::uint64_t>(least) || *value > static_cast<std::uint64_t>(most)) {
        refuse(fmt::format("{} '{}': give a whole number from {} to {}", option, text, least, most));
    }
    return static_cast<int>(*value);
}

std::vector<std::string> items(const std::string& list)
{
    std::vector<std::string> result;
    std::istringstream stream(list + ",");
    for (std::string item; std::getline(stream, item, ',');) result.push_back(item);
    return result;
}

Sampling Options::sampling(int chosen, int unit) const
{
    if (reps > 0) return {reps, warmup, samples, 0, 1, distance};
    return {(chosen + unit - 1) / unit * unit, warmup, samples, batch_ms * 1e-3, unit, distance};
}

int Options::indices() const
{
    constexpr int few = 16;
    return outstanding.empty() ? few : std::max(few, *std::max_element(outstanding.begin(), outstanding.end()));
}

Options read_options(int argc, const char* const* argv)
{
    Options options;
    Words words;
    const std::span<const Benchmark> all = benchmarks();
    const bool has_choice = all.size() > 1;
    const Benchmark& example = all.front();
    const ProgramFacts facts = program_facts();
    CLI::App app(fmt::format("{} {}, to be started by {} on 2 or more ranks:\n    {} -n 2 {}{}{}",
        has_choice ? "Micro-benchmarks of" : fmt::format("{} over", example.summary), facts.library, facts.launcher,
        facts.launcher, facts.program, has_choice ? fmt::format(" {}", example.name) : "",
        example.default_sizes.empty() ? "" : " --sizes 8,1K"));
    app.name(facts.program);
    app.footer(
        "Messages are timed as halves of a ping-pong, collective calls as the mean over a batch in which the root\n"
        "changes with every call, unless it is fixed, from where the first rank begins to where the last one ends.\n"
        "Median, minimum and quartiles are over the batches." +
        (has_choice ? fmt::format("\nEach benchmark lists its options, as in {} --help.", example.name) : ""));
    app.set_version_flag(
        "--version", fmt::format("{} (FMPL) {}", facts.program, facts.version), "Print the version and exit");
    if (has_choice) app.require_subcommand(1);
    for (const Benchmark& benchmark : all) {
        CLI::App* command = has_choice ? app.add_subcommand(benchmark.name, benchmark.summary) : &app;
        add_options(*command, benchmark, options, words);
        command->callback([&options, &benchmark] { options.benchmark = &benchmark; });
    }

    command_line::parse(app, argc, argv, [](const CLI::ParseError& error) {
        const bool no_benchmark = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
        refuse(no_benchmark ? "say which benchmark to run: " +
                                  one_of(benchmarks(), [](const Benchmark& benchmark) { return benchmark.name; })
                            : error.what());
    });

    const Benchmark& benchmark = *options.benchmark;
    const CLI::App& command = has_choice ? *app.get_subcommand(benchmark.name) : app;
    const auto given = [&command](const char* name) {
        const CLI::Option* option = command.get_option_no_throw(name);
        return option != nullptr && option->count() > 0;
    };
    options.sizes = benchmark.default_sizes;
    options.sizes_given = given("--sizes");
    if (options.sizes_given) {
        options.sizes.clear();
        for (const std::string& item : items(words.sizes)) options.sizes.push_back(read_bytes("--sizes", item));
    }
    for (const std::size_t size : options.sizes) {
        if (size > facts.most_message_bytes) {
            refuse(fmt::format("--sizes: {} is more than a message can have here, {}", size, facts.most_message_bytes));
        }
        if (size % benchmark.size_unit != 0) {
            refuse(
                fmt::format("--sizes: {} is not a multiple of {}, the bytes of a double", size, benchmark.size_unit));
        }
    }
    if (given("--reps")) options.reps = read_count("--reps", words.reps, 1, kMostReps);
    if (given("--warmup")) options.warmup = read_count("--warmup", words.warmup, 0, kMostReps);
    options.samples = read_count("--samples", words.samples, 1, kMostSamples);
    options.batch_ms = read_count("--batch-ms", words.batch_ms, 0, kMostBatch_ms);
    options.nearer_than_ns = read_count("--nearer-than", words.nearer_than, 0, kMostNearerThan_ns);
    if (command.get_option_no_throw("--memory") != nullptr) options.memory = read_memory(words.memory);
    options.memory = benchmark.only_memory.value_or(options.memory);
    if (benchmark.has_outstanding) {
        for (const std::string& item : items(words.outstanding)) {
            options.outstanding.push_back(read_count("--outstanding", item, 1, kMostOutstanding));
        }
    }
    if (benchmark.has_footprint) options.footprint = read_bytes("--footprint", words.footprint);
    if (benchmark.settle != nullptr) benchmark.settle(options);
    return options;
}

}  // namespace fmpl::bench
