// What the program says: a table on standard output, row by row as they are measured, and the file of --json. Rank 0
// speaks; on the other ranks all of this does nothing.
#pragma once

#include "job.hpp"
#include "options.hpp"
#include "sampler.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fmpl::bench {

class Report {
public:
    Report(const Options& options, const Job& job);

    // A line of its own, before, between or after the rows.
    void line(const std::string& words);
    // The header: names with their units. Then rows of as many cells.
    void columns(const std::vector<std::string>& names);
    void row(const std::vector<std::string>& cells, nlohmann::json result);
    // A result of the whole run, for the file alone.
    void add(const std::string& key, nlohmann::json value);

    // Writes the file of --json. False, and the reason on standard error, when that fails.
    bool finish() const;

private:
    bool speaks_;
    std::string json_file_;
    std::vector<std::size_t> widths_;
    nlohmann::json document_;
};

// Cells for the columns "median us", "min us", "q1 us", "q3 us".
const std::vector<std::string>& time_columns();
std::vector<std::string> time_cells(const std::vector<double>& seconds);

std::string microseconds(double seconds);
std::string gigabytes_per_second(double bytes, double seconds);

// {"median", "min", "quartile1", "quartile3", "samples"}.
nlohmann::json json_of(const std::vector<double>& seconds);

}  // namespace fmpl::bench
