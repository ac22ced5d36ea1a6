#include "sink.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fmpl::launcher {

Sink::Sink(int fd) : fd_(fd)
{
    struct stat status {};
    if (fstat(fd, &status) == 0) {
        is_socket_ = S_ISSOCK(status.st_mode);
        never_blocks_ = S_ISREG(status.st_mode);
    }
}

void Sink::append(int writer, std::string_view text)
{
    if (text.empty() || error_ != 0) return;
    if (line_open_ && writer != last_writer_) queue_ += '\n';
    queue_ += text;
    last_writer_ = writer;
    line_open_ = text.back() != '\n';
}

long Sink::write_without_blocking(const char* data, std::size_t bytes)
{
    if (is_socket_) return send(fd_, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (never_blocks_) return write(fd_, data, bytes);
    // The descriptor is shared with whoever started the launcher, so it must not become nonblocking. A pipe or terminal
    // that poll calls writable takes PIPE_BUF bytes.
    pollfd ready{fd_, POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd_, data, std::min<std::size_t>(bytes, PIPE_BUF));
}

void Sink::flush()
{
    while (!empty()) {
        const long written = write_without_blocking(queue_.data() + head_, queued());
        if (written > 0) {
            head_ += static_cast<std::size_t>(written);
        } else if (written < 0 && errno == EINTR) {
            continue;
        } else if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
            error_ = errno;
            head_ = queue_.size();
        } else {
            break;
        }
    }
    if (empty()) {
        queue_.clear();
        head_ = 0;
    } else if (head_ > queue_.size() / 2) {
        queue_.erase(0, head_);
        head_ = 0;
    }
}

bool same_destination(int fd1, int fd2)
{
    struct stat a {
    }, b{};
    return fstat(fd1, &a) == 0 && fstat(fd2, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace fmpl::launcher
