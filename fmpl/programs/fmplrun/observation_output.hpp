// What fmplrun --stats, --stats-json and --trace leave behind: words, and two files, which are opened before anything
// starts. docs/statistics.md describes the files.
#pragma once

#include "job_statistics.hpp"
#include "options.hpp"
#include "output_file.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fmpl::launcher {

class ObservationOutput {
public:
    // Throws Error(ARGUMENT) when a file cannot be written.
    explicit ObservationOutput(const Options& options);

    // What the job's memory has to have room for. Throws Error(ARGUMENT) when FMPL_TRACE_EVENTS is wrong.
    void prepare(JobSpec& spec) const;

    // After the end of all ranks. say: for lines that end. status: fmplrun's. False when a file could not be written,
    // which is said.
    bool write(const JobMemory& memory, int status, const std::function<void(const std::string&)>& say);

private:
    const Options& options_;
    std::optional<OutputFile> statistics_;
    std::optional<OutputFile> trace_;
};

// Both write to `file` as they go.
void write_statistics_json(OutputFile& file, const JobStatistics& statistics, const Options& options, int status);
// Throws Error(SYSTEM).
void write_trace_json(OutputFile& file, const JobStatistics& statistics, const Options& options);

// A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace fmpl::launcher
