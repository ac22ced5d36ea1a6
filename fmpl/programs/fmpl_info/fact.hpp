// What fmpl_info has to say: sections of facts, each with a value for programs and words for readers.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fmpl::info {

struct Fact {
    std::string key;  // of the JSON object; in the text its underscores are blanks
    nlohmann::ordered_json value;
    std::string words;  // the value as a reader wants it
    std::string why;    // what it means or why it is so; may be empty
};

struct Section {
    std::string key;
    std::string title;
    std::vector<Fact> facts;
};

}  // namespace fmpl::info
