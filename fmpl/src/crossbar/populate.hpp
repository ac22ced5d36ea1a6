// Backing a range of a mapped memory object with pages ahead, and giving them back: by madvise, which maps them too,
// or by fallocate on the object where the kernel has no such advice (before Linux 5.14) or something forbids it (a
// seccomp filter of a container). Both: 0, or -1 with errno, as the calls. at: where `offset` of fd's object is
// mapped.
#pragma once

#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <sys/mman.h>

// For C libraries whose headers are older than it.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace fmpl {

// After a failed madvise: that it was refused, whatever the range.
inline bool advice_refused(int error)
{
    return error == EINVAL || error == EPERM || error == EACCES || error == ENOSYS;
}

inline int populate(std::byte* at, std::size_t bytes, int fd, std::size_t offset)
{
    const int failed = madvise(at, bytes, MADV_POPULATE_WRITE);
    if (failed == 0 || !advice_refused(errno)) return failed;
    return fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

inline int depopulate(std::byte* at, std::size_t bytes, int fd, std::size_t offset)
{
    const int failed = madvise(at, bytes, MADV_REMOVE);
    if (failed == 0 || !advice_refused(errno)) return failed;
    return fallocate(
        fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

}  // namespace fmpl
