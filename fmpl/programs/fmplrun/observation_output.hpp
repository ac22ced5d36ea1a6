// What fmplrun --stats, --stats-json and --trace leave behind: words, and two files, which are opened before anything
// starts. docs/statistics.md describes the files.
#pragma once

#include "job_statistics.hpp"
#include "options.hpp"

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

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
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    using File = std::unique_ptr<std::FILE, Close>;
    static File open(const char* option, const std::string& path);
    static bool close(File file, const std::string& path, const std::function<void(const std::string&)>& say);

    const Options& options_;
    File statistics_;
    File trace_;
};

// Both write to `file` as they go; its error flag says whether that went well.
void write_statistics_json(std::FILE* file, const JobStatistics& statistics, const Options& options, int status);
void write_trace_json(std::FILE* file, const JobStatistics& statistics, const Options& options);

// A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace fmpl::launcher
