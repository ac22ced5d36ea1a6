// A program for rdma_heap_test.py: each case, named by the first argument, checks one claim about a heap in remote-DMA
// memory on every rank and prints what is wrong; exit status 0 when nothing is.
#include <fmpl.h>
#include <fmpl/layers.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

int failures = 0;
std::vector<std::string> arguments;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "rank %d, line %d: %s: ", fmpl_job_rank(), __LINE__, #condition); \
            std::fprintf(stderr, __VA_ARGS__);                                                     \
            std::fputc('\n', stderr);                                                              \
            ++failures;                                                                            \
        }                                                                                          \
    } while (false)

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr std::size_t kSizes[] = {
    1, 8, 16, 17, 64, 72, 73, 100, 512, 1000, 4096, 5000, 16384, 65536, 100000, MiB, 3 * MiB + 17, 70 * MiB};

bool remote(const void* p, std::size_t bytes)
{
    return fmpl_is_remote_dma(p, bytes) == 1;
}

unsigned char pattern(std::size_t i, unsigned key)
{
    return static_cast<unsigned char>(i * 131 + (i >> 8) * 17 + key);
}

void fill(unsigned char* p, std::size_t bytes, unsigned key)
{
    for (std::size_t i = 0; i < bytes; ++i) p[i] = pattern(i, key);
}

bool holds(const unsigned char* p, std::size_t bytes, unsigned key)
{
    for (std::size_t i = 0; i < bytes; ++i) {
        if (p[i] != pattern(i, key)) return false;
    }
    return true;
}

void init()
{
    if (fmpl_init(nullptr, nullptr, 4) != FMPL_SUCCESS) std::exit(3);
}

void check_every_kind()
{
    for (const std::size_t bytes : kSizes) {
        void* p = std::malloc(bytes);
        CHECK(remote(p, bytes), "malloc of %zu bytes", bytes);
        CHECK(malloc_usable_size(p) >= bytes, "malloc of %zu bytes", bytes);
        std::memset(p, 1, bytes);
        p = std::realloc(p, bytes * 2);
        CHECK(remote(p, bytes * 2), "realloc to %zu bytes", bytes * 2);
        CHECK(static_cast<char*>(p)[bytes - 1] == 1, "realloc lost what was there");
        std::free(p);
        auto* zero = static_cast<unsigned char*>(std::calloc(bytes, 1));
        CHECK(remote(zero, bytes), "calloc of %zu bytes", bytes);
        CHECK(std::all_of(zero, zero + bytes, [](unsigned char c) { return c == 0; }), "calloc of %zu bytes", bytes);
        std::free(zero);
        for (const std::size_t alignment : {16, 64, 4096, 1 << 16}) {
            void* aligned = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
            CHECK(remote(aligned, bytes), "aligned_alloc(%zu) of %zu bytes", alignment, bytes);
            CHECK(reinterpret_cast<std::uintptr_t>(aligned) % alignment == 0, "aligned_alloc(%zu)", alignment);
            std::free(aligned);
        }
        const auto array = std::make_unique<char[]>(bytes);
        CHECK(remote(array.get(), bytes), "new of %zu bytes", bytes);
        const std::vector<double> vector(bytes / sizeof(double) + 1);
        CHECK(remote(vector.data(), vector.size() * sizeof(double)), "vector of %zu bytes", bytes);
    }
    void* page = pvalloc(100);
    CHECK(remote(page, 4096), "pvalloc");
    std::free(page);
    void* old_style = nullptr;
    CHECK(posix_memalign(&old_style, 64, 1000) == 0 && remote(old_style, 1000), "posix_memalign");
    std::free(old_style);
    const std::string long_string(1000, 'x');
    CHECK(remote(long_string.data(), 1000), "string");
    char* copy = strdup("a string of more bytes than fit anywhere else");
    CHECK(remote(copy, 10), "strdup");
    std::free(copy);
}

void every_kind()
{
    init();
    check_every_kind();
    fmpl_finalize();
}

void ordinary_without()
{
    init();
    for (const std::size_t bytes : kSizes) {
        void* p = std::malloc(bytes);
        CHECK(!remote(p, bytes), "malloc of %zu bytes", bytes);
        std::free(p);
    }
    fmpl_finalize();
}

// Before fmpl_init no rank is bound, and nothing is known to be remote-DMA memory; afterwards it is.
void before_init()
{
    std::vector<std::vector<char>> blocks;
    for (const std::size_t bytes : kSizes) blocks.emplace_back(bytes);
    init();
    for (const auto& block : blocks) CHECK(remote(block.data(), block.size()), "%zu bytes", block.size());
    fmpl_finalize();
}

void threads()
{
    init();
    std::vector<std::vector<std::pair<void*, std::size_t>>> blocks(12);
    std::vector<std::thread> workers;
    for (auto& mine : blocks) {
        workers.emplace_back([&mine] {
            for (int round = 0; round < 20; ++round) {
                for (const std::size_t bytes : kSizes) {
                    if (bytes > 4 * MiB) continue;
                    void* p = std::malloc(bytes);
                    std::memset(p, round, bytes);
                    if (round == 19) {
                        mine.emplace_back(p, bytes);
                    } else {
                        std::free(p);
                    }
                }
            }
        });
    }
    for (auto& worker : workers) worker.join();
    for (const auto& mine : blocks) {
        for (const auto& [p, bytes] : mine) {
            CHECK(remote(p, bytes), "%zu bytes from a thread", bytes);
            std::free(p);
        }
    }
    fmpl_finalize();
}

// malloc is no cancellation point: a thread that is asked to end goes on until it comes to one.
void cancelled_thread()
{
    init();
    static std::atomic<bool> asked = false;
    static std::atomic<int> blocks = 0;
    pthread_t thread;
    const auto body = [](void*) -> void* {
        while (!asked) {
        }
        for (; blocks < 100; ++blocks) {
            void* p = std::malloc(3 * MiB);
            if (p != nullptr) static_cast<char*>(p)[0] = 1;
        }
        pthread_testcancel();
        return nullptr;
    };
    CHECK(pthread_create(&thread, nullptr, body, nullptr) == 0, "a thread starts");
    pthread_cancel(thread);
    asked = true;
    void* result = nullptr;
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED && blocks == 100, "cancelled after %d blocks", blocks.load());
    void* p = std::malloc(5 * MiB);
    CHECK(remote(p, 5 * MiB), "malloc goes on");
    std::free(p);
    fmpl_finalize();
}

// Every pair, every size, blocking and not, from fresh blocks that are freed right after the call.
void messages()
{
    init();
    const int n = fmpl_job_size(), me = fmpl_job_rank();
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{72}, std::size_t{73}, std::size_t{1000},
             std::size_t{8192}, std::size_t{65536}, std::size_t{300001}, MiB, 8 * MiB}) {
        for (int shift = 1; shift < n; ++shift) {
            const int to = (me + shift) % n, from = (me + n - shift) % n;
            const auto key = [&](int source) {
                return static_cast<unsigned>(source * 7 + shift) + static_cast<unsigned>(bytes);
            };
            auto* out = static_cast<unsigned char*>(std::malloc(bytes));
            auto* in = static_cast<unsigned char*>(std::malloc(bytes));
            fill(out, bytes, key(me));
            CHECK(fmpl_irecv(in, bytes, from, 0, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
            CHECK(fmpl_send(out, bytes, to, 0, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
            std::memset(out, 0xee, bytes);
            std::free(out);
            CHECK(fmpl_irecv_wait(from, 0, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
            CHECK(holds(in, bytes, key(from)), "%zu bytes from rank %d", bytes, from);
            std::free(in);
        }
        std::vector<unsigned char> all(bytes);
        for (int root = 0; root < n; ++root) {
            if (me == root) fill(all.data(), bytes, static_cast<unsigned>(root));
            CHECK(fmpl_bcast(all.data(), bytes, root, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
            CHECK(holds(all.data(), bytes, static_cast<unsigned>(root)), "broadcast of %zu bytes", bytes);
        }
        std::vector<double> sum(bytes / 8 + 1, me + 1.0), work(sum.size());
        CHECK(fmpl_allreduce(sum.data(), sum.size(), FMPL_SUM_DOUBLE, FMPL_COMM_WORLD, work.data()) == 0, "%s",
            fmpl_error_message());
        const double expected = n * (n + 1) / 2.0;
        CHECK(std::all_of(sum.begin(), sum.end(), [&](double x) { return x == expected; }), "sum of %zu", bytes);
    }
    CHECK(fmpl_finalize() == 0, "%s", fmpl_error_message());
}

// A heap area must not be taken for one of fmpl_malloc, whose size FMPL knows; a send buffer in the heap is used.
void areas_and_send_buffer()
{
    const std::size_t elements = FMPL_AREA_ELEMENTS(2, fmpl_job_size());
    std::vector<fmpl_match_t> slots(elements);
    std::vector<fmpl_flag_t> flags(elements);
    CHECK(fmpl_init(slots.data(), flags.data(), 2) == 0, "%s", fmpl_error_message());
    std::vector<char> buffer(MiB);
    CHECK(fmpl_sendbuf_set(buffer.data(), buffer.size(), 0) == 0, "%s", fmpl_error_message());
    const int other = fmpl_job_rank() ^ 1;
    std::vector<unsigned char> out(100000), in(100000);
    fill(out.data(), out.size(), 5);
    CHECK(fmpl_send(out.data(), out.size(), other, 1, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
    CHECK(fmpl_recv(in.data(), in.size(), other, 1, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
    CHECK(holds(in.data(), in.size(), 5), "through the send buffer");
    void* p = std::malloc(10);
    fmpl_free(p);  // is reported, and changes nothing
    CHECK(std::strstr(fmpl_error_message(), "does not come from fmpl_malloc") != nullptr, "%s", fmpl_error_message());
    std::free(p);
    CHECK(fmpl_finalize() == 0, "%s", fmpl_error_message());
}

int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int status_of_child(const std::function<int()>& body)
{
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        const int status = body();
        std::fflush(nullptr);
        _exit(status);
    }
    return wait_for(child);
}

// What the child writes, the parent does not see, and the other way round; the child can allocate and free.
void forked()
{
    init();
    constexpr std::size_t kBlocks = 300;
    std::vector<std::vector<unsigned char>> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i) {
        blocks.emplace_back(100 + i * 997);
        fill(blocks[i].data(), blocks[i].size(), static_cast<unsigned>(i));
    }
    std::map<int, std::string> tree;
    for (int i = 0; i < 1000; ++i) tree[i] = std::string(static_cast<std::size_t>(i), 'a');
    int to_child[2], to_parent[2];
    if (pipe(to_child) != 0 || pipe(to_parent) != 0) std::exit(3);
    char word = 0;
    const pid_t child = fork();
    if (child == 0) {
        close(to_child[1]);  // so that the parent's death is seen
        for (std::size_t i = 0; i < kBlocks; ++i) {
            CHECK(holds(blocks[i].data(), blocks[i].size(), static_cast<unsigned>(i)), "block %zu in the child", i);
            std::fill(blocks[i].begin(), blocks[i].end(), 0xcc);
        }
        tree.clear();
        if (write(to_parent[1], &word, 1) != 1 || read(to_child[0], &word, 1) != 1) _exit(4);
        for (const auto& block : blocks) {
            CHECK(std::all_of(block.begin(), block.end(), [](unsigned char c) { return c == 0xcc; }), "in the child");
        }
        std::vector<std::vector<char>> more;
        for (int i = 0; i < 200; ++i) more.emplace_back(static_cast<std::size_t>(i) * 5000, 'x');
        blocks.clear();
        more.clear();
        auto* large = static_cast<char*>(std::calloc(20 * MiB, 1));
        CHECK(large[10 * MiB] == 0, "calloc in the child");
        large[10 * MiB] = 1;
        // A grandchild is an ordinary fork of an ordinary process.
        const int status = status_of_child([&] {
            large[10 * MiB] = 2;
            return large[10 * MiB] == 2 ? 0 : 1;
        });
        CHECK(status == 0 && large[10 * MiB] == 1, "a grandchild");
        std::free(large);
        std::thread([] { std::free(std::malloc(1000)); }).join();
        _exit(failures == 0 ? 0 : 5);
    }
    if (read(to_parent[0], &word, 1) != 1) failures += 1;
    for (std::size_t i = 0; i < kBlocks; ++i) {
        CHECK(holds(blocks[i].data(), blocks[i].size(), static_cast<unsigned>(i)), "block %zu in the parent", i);
        fill(blocks[i].data(), blocks[i].size(), 99);
    }
    CHECK(tree.size() == 1000 && tree[500].size() == 500, "the tree in the parent");
    if (write(to_child[1], &word, 1) != 1) failures += 1;
    const int status = wait_for(child);
    CHECK(status == 0, "the child ended with %d", status);
    for (const auto& block : blocks) CHECK(holds(block.data(), block.size(), 99), "in the parent");
    check_every_kind();
    // Still a rank: the blocks written after the fork are what the others get.
    const int n = fmpl_job_size(), me = fmpl_job_rank();
    if (n > 1) {
        std::vector<unsigned char> in(blocks[200].size());
        fmpl_irecv(in.data(), in.size(), (me + n - 1) % n, 0, FMPL_COMM_WORLD);
        fmpl_send(blocks[200].data(), in.size(), (me + 1) % n, 0, FMPL_COMM_WORLD);
        fmpl_irecv_wait((me + n - 1) % n, 0, FMPL_COMM_WORLD);
        CHECK(holds(in.data(), in.size(), 99), "after the fork");
    }
    fmpl_finalize();
}

// Threads allocate and write all the time while another forks: nobody hangs, and the parent's blocks stay whole.
void forks_beside_threads()
{
    init();
    std::atomic<bool> stop{false};
    std::atomic<int> broken{0};
    std::vector<std::thread> workers;
    for (unsigned w = 0; w < 3; ++w) {
        workers.emplace_back([&, w] {
            for (unsigned round = 0; !stop; ++round) {
                const std::size_t bytes = 1 + (round * 7919 + w * 104729) % 300000;
                auto* p = static_cast<unsigned char*>(std::malloc(bytes));
                fill(p, bytes, w + round);
                if (!holds(p, bytes, w + round)) ++broken;
                std::free(p);
            }
        });
    }
    std::vector<unsigned char> mine(MiB);
    for (unsigned i = 0; i < 40; ++i) {
        fill(mine.data(), mine.size(), i);
        const pid_t child = fork();
        if (child == 0) {
            const bool same = holds(mine.data(), mine.size(), i);
            std::fill(mine.begin(), mine.end(), 0);
            for (std::size_t k = 1; k < 200; ++k) std::free(std::malloc(k * 100));
            _exit(same ? 0 : 6);
        }
        const int status = wait_for(child);
        CHECK(status == 0, "child %u ended with %d", i, status);
        CHECK(holds(mine.data(), mine.size(), i), "round %u", i);
    }
    stop = true;
    for (auto& worker : workers) worker.join();
    CHECK(broken == 0, "%d blocks were not whole", broken.load());
    fmpl_finalize();
}

// A forked child that calls FMPL gets an error in words, and disturbs nobody.
void calls_in_child()
{
    init();
    void* block = fmpl_malloc(100);
    const int status = status_of_child([&] {
        int bad = 0;
        const auto refused = [&](int code) {
            if (code != FMPL_ERR_SYSTEM || std::strstr(fmpl_error_message(), "forked child") == nullptr) ++bad;
        };
        refused(fmpl_barrier(FMPL_COMM_WORLD));
        refused(fmpl_init(nullptr, nullptr, 1));
        refused(fmpl_finalize());
        if (fmpl_malloc(10) != nullptr) ++bad;
        fmpl_free(block);
        return bad;
    });
    CHECK(status == 0, "%d calls were not refused", status);
    CHECK(fmpl_barrier(FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
    fmpl_free(block);
    CHECK(fmpl_finalize() == 0, "%s", fmpl_error_message());
}

// A child that cannot have its copy of the heap ends, saying why, and its parent goes on.
void hard_forks()
{
    init();
    std::vector<unsigned char> mine(20 * MiB);
    fill(mine.data(), mine.size(), 1);
    const auto child_under = [](__rlimit_resource_t resource, rlim_t most) {
        rlimit before{};
        getrlimit(resource, &before);
        rlimit lower = before;
        lower.rlim_cur = most;
        setrlimit(resource, &lower);
        const int status = status_of_child([] { return 0; });
        setrlimit(resource, &before);
        return status;
    };
    CHECK(child_under(RLIMIT_NOFILE, 3) == 127, "a child without the pipe went on");
    CHECK(child_under(RLIMIT_AS, 1) == 127, "a child without memory went on");
    CHECK(holds(mine.data(), mine.size(), 1), "after the forks");
    CHECK(status_of_child([] { return 7; }) == 7, "the next child");
    std::free(std::malloc(1000));
    fmpl_finalize();
}

std::string output_of(FILE* stream)
{
    std::string text;
    char part[100];
    while (std::fgets(part, sizeof part, stream) != nullptr) text += part;
    return text;
}

void other_programs()
{
    init();
    std::vector<unsigned char> mine(5 * MiB);
    fill(mine.data(), mine.size(), 3);
    CHECK(std::system("test \"$(echo a b | wc -w)\" = 2") == 0, "system");
    FILE* pipe = popen("echo from the other side; cat /proc/self/maps | grep -c memfd:", "r");
    const std::string text = output_of(pipe);
    pclose(pipe);
    CHECK(text == "from the other side\n0\n", "popen gave \"%s\"", text.c_str());
    pid_t child = 0;
    char program[] = "sh", option[] = "-c", script[] = "ls / > /dev/null; exit 9";
    char* const argv[] = {program, option, script, nullptr};
    CHECK(posix_spawnp(&child, program, nullptr, nullptr, argv, environ) == 0, "posix_spawnp");
    CHECK(wait_for(child) == 9, "posix_spawnp");
    CHECK(status_of_child([&] {
        execvp(program, argv);
        return 1;
    }) == 9,
        "fork and exec");
    const pid_t vforked = vfork();
    if (vforked == 0) {
        execvp(program, argv);
        _exit(1);
    }
    CHECK(wait_for(vforked) == 9, "vfork and exec");
    // This very program, as no rank: plain jemalloc, and its blocks are nobody else's.
    CHECK(std::system((arguments[0] + " alone").c_str()) == 0, "the same program, started by a rank");
    CHECK(holds(mine.data(), mine.size(), 3), "after all that");
    fmpl_finalize();
}

void alone()
{
    unsetenv("FMPL_JOB_FD");
    init();
    std::vector<std::vector<char>> blocks;
    for (const std::size_t bytes : kSizes) {
        blocks.emplace_back(bytes, 'x');
        CHECK(!remote(blocks.back().data(), bytes), "%zu bytes", bytes);
    }
    fmpl_finalize();
}

// FMPL_ARENA_SIZE=64M: 32 MiB for the heap.
void full_range()
{
    init();
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    std::size_t outside = 0;
    for (unsigned i = 0; i < 60; ++i) {
        auto* p = static_cast<unsigned char*>(std::malloc(MiB + i));
        CHECK(p != nullptr, "block %u", i);
        fill(p, MiB + i, i);
        outside += remote(p, MiB + i) ? 0 : 1;
        blocks.emplace_back(p, MiB + i);
    }
    CHECK(outside >= 28 && outside < 50, "%zu of 60 blocks are ordinary memory", outside);
    const int n = fmpl_job_size(), me = fmpl_job_rank();
    for (unsigned i = 0; i < 60; ++i) {
        CHECK(holds(blocks[i].first, blocks[i].second, i), "block %u", i);
        std::vector<unsigned char> in(blocks[i].second);
        fmpl_irecv(in.data(), in.size(), (me + 1) % n, 0, FMPL_COMM_WORLD);
        fmpl_send(blocks[i].first, blocks[i].second, (me + n - 1) % n, 0, FMPL_COMM_WORLD);
        fmpl_irecv_wait((me + 1) % n, 0, FMPL_COMM_WORLD);
        CHECK(holds(in.data(), in.size(), i), "block %u arrived", i);
    }
    for (const auto& [p, bytes] : blocks) std::free(p);
    // What was freed is used again.
    void* again = std::malloc(8 * MiB);
    CHECK(remote(again, 8 * MiB), "8 MiB after all was freed");
    std::free(again);
    // FMPL's own half is not the heap's, and says so when it is full.
    std::vector<void*> own;
    while (void* p = fmpl_malloc(MiB)) own.push_back(p);
    CHECK(own.size() >= 20 && own.size() <= 32, "%zu MiB of fmpl_malloc", own.size());
    CHECK(std::strstr(fmpl_error_message(), "--rdma heap") != nullptr, "%s", fmpl_error_message());
    for (void* p : own) {
        std::memset(p, 1, MiB);
        fmpl_free(p);
    }
    fmpl_finalize();
}

// More than the machine has, in a range with room for it: NULL or bad_alloc, and all goes on.
void little_memory()
{
    init();
    const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    const std::size_t too_much = pages * 4096 / 16 * 15;
    char* p = static_cast<char*>(std::malloc(too_much));
    CHECK(p == nullptr, "malloc of %zu bytes gave memory", too_much);
    bool refused = false;
    try {
        p = new char[too_much];
        delete[] p;
    } catch (const std::bad_alloc&) {
        refused = true;
    }
    CHECK(refused, "new of %zu bytes gave memory", too_much);
    char* grown = static_cast<char*>(std::malloc(MiB));
    grown[0] = 'g';
    char* moved = static_cast<char*>(std::realloc(grown, too_much));
    CHECK(moved == nullptr, "realloc to %zu bytes", too_much);
    std::free(moved == nullptr ? grown : moved);
    check_every_kind();
    fmpl_finalize();
}

// Given back, pages leave the object; wanted again, they are zero.
void pages_return()
{
    init();
    const auto resident = [] {
        long shared = 0, size = 0, all = 0;
        FILE* in = std::fopen("/proc/self/statm", "r");
        if (std::fscanf(in, "%ld %ld %ld", &size, &all, &shared) != 3) shared = -1;
        std::fclose(in);
        return static_cast<std::size_t>(shared) * 4096;
    };
    const std::size_t before = resident();
    auto* p = static_cast<unsigned char*>(std::malloc(200 * MiB));
    std::memset(p, 7, 200 * MiB);
    CHECK(resident() >= before + 200 * MiB, "%zu, then %zu", before, resident());
    std::free(p);
    // MALLOC_CONF of this test lets nothing linger.
    CHECK(resident() < before + 20 * MiB, "%zu, then %zu", before, resident());
    p = static_cast<unsigned char*>(std::calloc(200 * MiB, 1));
    CHECK(remote(p, 200 * MiB), "the range is used again");
    CHECK(std::all_of(p, p + 200 * MiB, [](unsigned char c) { return c == 0; }), "calloc of returned pages");
    std::free(p);
    fmpl_finalize();
}

// Rank 1 receives while rank 0 makes no call: it takes the message from rank 0's buffer itself, with one copy. The file
// named by FMPL_TEST_FILE tells rank 0 that it has done so.
void sender_is_not_needed()
{
    init();
    const char* file = std::getenv("FMPL_TEST_FILE");
    std::vector<unsigned char> block(3 * MiB);
    if (fmpl_job_rank() == 0) {
        fill(block.data(), block.size(), 4);
        CHECK(fmpl_isend(block.data(), block.size(), 1, 0, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
        while (access(file, F_OK) != 0) usleep(1000);
        CHECK(fmpl_isend_wait(1, 0, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
    } else {
        CHECK(fmpl_recv(block.data(), block.size(), 0, 0, FMPL_COMM_WORLD) == 0, "%s", fmpl_error_message());
        CHECK(holds(block.data(), block.size(), 4), "the message");
        std::fclose(std::fopen(file, "w"));
    }
    fmpl_finalize();
}

std::vector<std::string>* kept = nullptr;

void use_heap()
{
    for (int i = 0; i < 1000; ++i) kept->push_back(std::string(static_cast<std::size_t>(i), 'k'));
    if (kept->back().size() != 999) _exit(8);
    delete kept;
    auto* large = static_cast<char*>(std::calloc(80 * MiB, 1));
    if (large == nullptr || large[79 * MiB] != 0) _exit(8);
    std::memset(large, 1, 80 * MiB);
    std::free(large);
}

struct AtEnd {
    std::string text = std::string(1000, 't');
    ~AtEnd()
    {
        if (text != std::string(1000, 't')) _exit(8);
        text += text;
    }
};
AtEnd at_end;

void after_finalize()
{
    kept = new std::vector<std::string>;
    std::atexit(use_heap);
    init();
    fmpl_finalize();
    for (int i = 0; i < 1000; ++i) kept->push_back(std::string(static_cast<std::size_t>(i), 'k'));
}

// Sleeps until it is killed.
void hangs()
{
    init();
    std::vector<char> large(50 * MiB, 'x');
    std::puts("ready");
    std::fflush(stdout);
    for (;;) pause();
}

void shows_preload()
{
    const char* preload = std::getenv("LD_PRELOAD");
    const char* mode = std::getenv("FMPL_RDMA");
    std::printf("%s %s\n", mode != nullptr ? mode : "-", preload != nullptr ? preload : "-");
}

const std::map<std::string, void (*)()> cases = {{"every_kind", every_kind}, {"ordinary_without", ordinary_without},
    {"before_init", before_init}, {"threads", threads}, {"cancelled_thread", cancelled_thread}, {"messages", messages},
    {"areas_and_send_buffer", areas_and_send_buffer}, {"forked", forked},
    {"forks_beside_threads", forks_beside_threads}, {"calls_in_child", calls_in_child}, {"hard_forks", hard_forks},
    {"other_programs", other_programs}, {"alone", alone}, {"full_range", full_range}, {"little_memory", little_memory},
    {"pages_return", pages_return}, {"after_finalize", after_finalize}, {"hangs", hangs},
    {"shows_preload", shows_preload}, {"sender_is_not_needed", sender_is_not_needed}};

}  // namespace

int main(int argc, char** argv)
{
    arguments.assign(argv, argv + argc);
    const auto chosen = argc == 2 ? cases.find(argv[1]) : cases.end();
    if (chosen == cases.end()) {
        std::fprintf(stderr, "no such case\n");
        return 2;
    }
    chosen->second();
    return failures == 0 ? 0 : 1;
}
