#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace fmpl_test {

// A variable of the environment for as long as the object lives.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name)
    {
        if (const char* old = std::getenv(name)) before_ = old;
        setenv(name, value, 1);
    }
    ~Variable()
    {
        if (before_) {
            setenv(name_, before_->c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace fmpl_test
