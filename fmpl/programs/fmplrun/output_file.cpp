#include "output_file.hpp"

#include "error.hpp"

#include <cerrno>
#include <cstring>

namespace fmpl::launcher {

OutputFile::OutputFile(const char* option, const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "we"))
{
    if (file_ == nullptr) {
        fail(
            FMPL_ERR_ARGUMENT, "{} {}: cannot be written: {}; nothing was started", option, path, std::strerror(errno));
    }
}

void OutputFile::write()
{
    if (error_ != 0 || std::fwrite(piece_.data(), 1, piece_.size(), file_.get()) == piece_.size()) return;
    error_ = errno != 0 ? errno : EIO;
}

std::string OutputFile::close()
{
    if (std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
    return error_ == 0 ? "" : fmt::format("{} cannot be written: {}", path_, std::strerror(error_));
}

}  // namespace fmpl::launcher
