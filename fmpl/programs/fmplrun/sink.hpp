// Where output leaves the launcher: its standard output or standard error, behind a queue.
//
// A write never blocks the launcher, even when the reader is slow or stopped: what does not fit waits in the queue.
// Lines of different writers are never mixed: when one writer's line has no end yet and another writes, a line end
// comes between.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fmpl::launcher {

class Sink {
public:
    explicit Sink(int fd);

    int fd() const { return fd_; }

    // Queues text of `writer` (a rank, or kLauncher).
    static constexpr int kLauncher = -1;
    void append(int writer, std::string_view text);

    // True when the next text of `writer` begins a line (and so may get a tag).
    bool at_line_start(int writer) const { return !line_open_ || writer != last_writer_; }

    // Writes as much of the queue as the descriptor takes. After an error the queue is dropped, now and later.
    void flush();
    // Empties the queue unwritten.
    void drop() { head_ = queue_.size(); }

    bool empty() const { return head_ == queue_.size(); }
    std::size_t queued() const { return queue_.size() - head_; }
    int error() const { return error_; }  // errno of the write that failed; 0: none

private:
    // The result of write(), or -1 with EAGAIN where it would block.
    long write_without_blocking(const char* data, std::size_t bytes);

    int fd_;
    bool is_socket_ = false;
    bool never_blocks_ = false;  // a file
    std::string queue_;
    std::size_t head_ = 0;  // of queue_, already written
    bool line_open_ = false;
    int last_writer_ = kLauncher;
    int error_ = 0;
};

// True when both descriptors lead to the same terminal, pipe or file: then one sink must serve both, or the lines of
// one would fall into the lines of the other.
bool same_destination(int fd1, int fd2);

}  // namespace fmpl::launcher
