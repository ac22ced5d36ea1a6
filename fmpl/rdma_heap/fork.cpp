// fork() of a process whose heap is shared memory: the child gets a private copy before either side goes on.
//
// jemalloc registers handlers with pthread_atfork when it is first used, which lock and unlock its records. The copy
// must be there before they unlock, since some records lie in the heap. So the linker sends jemalloc's registration
// here (--wrap=pthread_atfork), and its handlers are called from ours, in the order
//
//     parent, before:  jemalloc locks; a pipe is made; the range is locked
//     child:           copies the backed pages over the same addresses; tells the parent; jemalloc unlocks
//     parent, after:   waits for the child's word, or its end; unlocks the range; jemalloc unlocks
//
// Handlers registered later by others run, in child and parent, after these. The cost: the child copies the whole heap,
// and the forking thread waits for it. vfork, posix_spawn, system and popen do not copy and run none of this.
//
// What the C library does in a child before it calls handlers happens in the parent's heap still. That is nothing in a
// process of one thread; with several, the locks of streams that fopen has made are reset.
#include "extent_hooks.hpp"
#include "heap_range.hpp"

#include <cerrno>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace {

using fmpl::rdma_heap::heap;
using Handler = void (*)();

struct Handlers {
    Handler prepare, parent, child;
};
Handlers jemalloc;

// From the child to the parent; under the range's lock.
struct CopyMade {
    int reading_end = -1;
    int writing_end = -1;
};
CopyMade copy_made;

void call(Handler handler)
{
    if (handler != nullptr) handler();
}

// Whether the fork under way is one of a process whose heap is shared; under the range's lock.
bool copies = false;

// A fork is no place to act on a request to cancel the thread: the C library's calls here would.
int cancel_state = PTHREAD_CANCEL_ENABLE;

void prepare()
{
    call(jemalloc.prepare);
    if (!heap.active()) return;
    heap.lock();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    copies = !heap.is_private();
    if (!copies) return;
    int ends[2] = {-1, -1};
    const int saved_errno = errno;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        // The child finds no pipe either, and ends: without one the parent cannot wait for it.
        errno = saved_errno;
    }
    copy_made = {ends[0], ends[1]};
}

[[noreturn]] void end_child(const char* words, std::size_t length)
{
    [[maybe_unused]] const auto written = write(STDERR_FILENO, words, length);
    _exit(127);
}

void in_child()
{
    if (heap.active() && copies) {
        static constexpr char no_pipe[] =
            "fmpl: a forked child of a rank ends: no descriptor was free with which to copy the heap (ulimit -n)\n";
        static constexpr char no_memory[] =
            "fmpl: a forked child of a rank ends: no memory for its copy of the heap; run without --rdma heap\n";
        if (copy_made.writing_end < 0) end_child(no_pipe, sizeof no_pipe - 1);
        if (!heap.copy_to_private()) end_child(no_memory, sizeof no_memory - 1);
        const char word = 1;
        while (write(copy_made.writing_end, &word, 1) < 0 && errno == EINTR) {
        }
        close(copy_made.reading_end);
        close(copy_made.writing_end);
        copy_made = {};
    }
    if (heap.active()) {
        heap.renew_lock();
        pthread_setcancelstate(cancel_state, nullptr);
    }
    call(jemalloc.child);
}

void in_parent()
{
    if (heap.active()) {
        const int saved_errno = errno;  // of the fork, which may have failed
        if (copies && copy_made.writing_end >= 0) {
            // The end of the pipe, too, lets the parent go on: the child has died, or there is none.
            close(copy_made.writing_end);
            char word;
            while (read(copy_made.reading_end, &word, 1) < 0 && errno == EINTR) {
            }
            close(copy_made.reading_end);
            copy_made = {};
        }
        errno = saved_errno;
        pthread_setcancelstate(cancel_state, nullptr);
        heap.unlock();
    }
    call(jemalloc.parent);
}

}  // namespace

extern "C" {

int __real_pthread_atfork(Handler prepare, Handler parent, Handler child);

int __wrap_pthread_atfork(Handler prepare_handler, Handler parent_handler, Handler child_handler)
{
    jemalloc = {prepare_handler, parent_handler, child_handler};
    return __real_pthread_atfork(prepare, in_parent, in_child);
}

}  // extern "C"
