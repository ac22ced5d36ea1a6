#include "ranks_test.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace fmpl_test {
namespace {

struct RegisteredBody {
    std::string suite;
    std::string name;
    const char* file;
    int line;
    Body body;
    RanksOptions options;

    std::string full_name() const { return suite + "." + name; }
};

std::vector<RegisteredBody>& bodies()
{
    static std::vector<RegisteredBody> all;
    return all;
}

const RegisteredBody* find_body(const std::string& full_name)
{
    for (const RegisteredBody& b : bodies()) {
        if (b.full_name() == full_name) return &b;
    }
    return nullptr;
}

std::string environment_or(const char* name, const std::string& otherwise)
{
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

int watchdog_seconds()
{
    return std::max(1, std::atoi(environment_or("FMPL_TEST_TIMEOUT", "120").c_str()));
}

// Sets variables of this process and puts the former values back.
class ScopedEnvironment {
public:
    explicit ScopedEnvironment(const Environment& wanted)
    {
        for (const auto& [name, value] : wanted) {
            const char* former = std::getenv(name.c_str());
            former_.emplace_back(name, former != nullptr ? std::optional<std::string>(former) : std::nullopt);
            setenv(name.c_str(), value.c_str(), 1);
        }
    }
    ~ScopedEnvironment()
    {
        for (const auto& [name, value] : former_) {
            if (value) {
                setenv(name.c_str(), value->c_str(), 1);
            } else {
                unsetenv(name.c_str());
            }
        }
    }
    ScopedEnvironment(const ScopedEnvironment&) = delete;
    ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

private:
    std::vector<std::pair<std::string, std::optional<std::string>>> former_;
};

// Ends the test program when a test takes too long: threads that wait for each other cannot be ended otherwise.
class Watchdog {
public:
    static Watchdog& instance()
    {
        static Watchdog watchdog;
        return watchdog;
    }
    void arm(const std::string& test)
    {
        const std::lock_guard lock(mutex_);
        test_ = test;
        deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(watchdog_seconds());
        armed_ = true;
        changed_.notify_all();
    }
    void disarm()
    {
        const std::lock_guard lock(mutex_);
        armed_ = false;
        changed_.notify_all();
    }

private:
    Watchdog() : thread_([this] { watch(); }) {}
    ~Watchdog()
    {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
            changed_.notify_all();
        }
        thread_.join();
    }
    void watch()
    {
        std::unique_lock lock(mutex_);
        while (!ending_) {
            if (!armed_) {
                changed_.wait(lock);
            } else if (std::chrono::steady_clock::now() >= deadline_) {
                std::fprintf(stderr, "watchdog: %s did not end within %d seconds (FMPL_TEST_SEED=%llu)\n",
                    test_.c_str(), watchdog_seconds(), static_cast<unsigned long long>(seed()));
                std::fflush(nullptr);
                std::abort();
            } else {
                changed_.wait_until(lock, deadline_);
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string test_;
    std::chrono::steady_clock::time_point deadline_{};
    bool armed_ = false;
    bool ending_ = false;
    std::thread thread_;  // last: it uses the members above
};

class WatchdogScope {
public:
    explicit WatchdogScope(const std::string& test) { Watchdog::instance().arm(test); }
    ~WatchdogScope() { Watchdog::instance().disarm(); }
    WatchdogScope(const WatchdogScope&) = delete;
    WatchdogScope& operator=(const WatchdogScope&) = delete;
};

constexpr std::size_t kSharedWords = 512;
constexpr std::size_t kSharedPlainBytes = 4096;
constexpr std::size_t kSharedBytes = kSharedWords * sizeof(std::atomic<std::uint64_t>) + kSharedPlainBytes;

// The observation memory. The test program makes it; a rank in a process of its own reaches it through the program's
// entry in /proc, so that no launcher has to hand a descriptor down.
class SharedMemory {
public:
    static SharedMemory& instance()
    {
        static SharedMemory memory;
        return memory;
    }
    unsigned char* bytes() const { return bytes_; }
    const std::string& path() const { return path_; }
    void clear() { std::memset(bytes_, 0, kSharedBytes); }

private:
    SharedMemory()
    {
        path_ = environment_or("FMPL_TEST_SHARED", "");
        int fd = -1;
        if (path_.empty()) {
            fd = memfd_create("fmpl_test", MFD_CLOEXEC);
            if (fd < 0 || ftruncate(fd, kSharedBytes) != 0) throw std::runtime_error("no memory for the test harness");
            path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd);
        } else {
            fd = open(path_.c_str(), O_RDWR | O_CLOEXEC);
            if (fd < 0) throw std::runtime_error("cannot open the test program's shared memory at " + path_);
        }
        void* mapped = mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (mapped == MAP_FAILED) throw std::runtime_error("cannot map the test harness's shared memory");
        bytes_ = static_cast<unsigned char*>(mapped);
    }
    std::string path_;
    unsigned char* bytes_ = nullptr;
};

std::string launcher()
{
#ifdef FMPL_TEST_LAUNCHER
    return environment_or("FMPLRUN", FMPL_TEST_LAUNCHER);
#else
    return environment_or("FMPLRUN", "fmplrun");
#endif
}

std::string describe_rank(int rank, int ranks)
{
    return "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
           ", FMPL_TEST_SEED=" + std::to_string(seed());
}

Environment rank_environment(const std::string& body, const Environment& more)
{
    Environment result = more;
    result.emplace_back("FMPL_TEST_BODY", body);
    result.emplace_back("FMPL_TEST_SEED", std::to_string(seed()));
    result.emplace_back("FMPL_TEST_SHARED", SharedMemory::instance().path());
    return result;
}

ProgramResult start_under_launcher(const std::string& body, int ranks, const Environment& environment)
{
    const int timeout = std::max(1, watchdog_seconds() * 3 / 4);  // before the watchdog, which knows less
    return run_program({launcher(), "-n", std::to_string(ranks), "--timeout", std::to_string(timeout), this_program()},
        rank_environment(body, environment));
}

enum class Mode { threads, processes, turns };

std::atomic<bool> thread_job_is_unmapped{false};

// One registered GoogleTest case: a body at one rank count, in one mode, with one engine and form.
class RanksCase : public ::testing::Test {
public:
    RanksCase(const RegisteredBody& body, int ranks, Mode mode, bool unmapped, std::string form, std::string name)
        : body_(body),
          ranks_(ranks),
          mode_(mode),
          unmapped_(unmapped),
          form_(std::move(form)),
          name_(std::move(name))
    {
    }

private:
    void TestBody() override
    {
        SharedMemory::instance().clear();
        const WatchdogScope watchdog(name_);
        if (mode_ == Mode::processes) {
            run_as_processes();
        } else {
            run_as_threads();
        }
    }

    Environment environment() const
    {
        Environment result = body_.options.environment;
        if (!form_.empty()) result.emplace_back("FMPL_COLLECTIVES", form_);
        return result;
    }

    void run_as_threads()
    {
        const ScopedEnvironment scoped(environment());
        thread_job_is_unmapped = unmapped_;
        fmpl::JobOptions options;
        if (unmapped_) options.engine = "unmapped";
        if (mode_ == Mode::turns) options.threads = ranks_ < 4 ? 1 : 2;
        std::mutex mutex;
        std::string first_failure;
        try {
            fmpl::run_ranks(
                ranks_,
                [&](int rank) {
                    // GoogleTest keeps traces by thread.
                    std::optional<::testing::ScopedTrace> trace;
                    if (mode_ == Mode::threads) trace.emplace(body_.file, body_.line, describe_rank(rank, ranks_));
                    try {
                        body_.body();
                    } catch (const std::exception& e) {
                        const std::lock_guard lock(mutex);
                        if (first_failure.empty()) first_failure = describe_rank(rank, ranks_) + ": " + e.what();
                        throw;
                    }
                },
                options);
        } catch (const std::exception& e) {
            ADD_FAILURE() << "the job failed: " << e.what() << "\nfirst: " << first_failure;
        }
    }

    void run_as_processes()
    {
        Environment variables = environment();
        if (unmapped_) variables.emplace_back("FMPL_ENGINE", "unmapped");
        const ProgramResult result = start_under_launcher(body_.full_name(), ranks_, variables);
        EXPECT_EQ(result.status, 0) << "exit status of the job (FMPL_TEST_SEED=" << seed() << "); its output:\n"
                                    << result.output;
    }

    const RegisteredBody& body_;
    const int ranks_;
    const Mode mode_;
    const bool unmapped_;
    const std::string form_;
    const std::string name_;
};

void register_case(const RegisteredBody& body, int ranks, Mode mode, bool unmapped, const std::string& form)
{
    const char* const mode_name = mode == Mode::threads     ? "/threads_"
                                  : mode == Mode::processes ? "/processes_"
                                                            : "/turns_";
    std::string name = body.name + mode_name + std::to_string(ranks);
    if (!form.empty()) name += "_" + form;
    if (unmapped) name += "_unmapped";
    const std::string full_name = body.suite + "." + name;
    ::testing::RegisterTest(body.suite.c_str(), name.c_str(), nullptr, nullptr, body.file, body.line,
        [&body, ranks, mode, unmapped, form, full_name]() -> ::testing::Test* {
            return new RanksCase(body, ranks, mode, unmapped, form, full_name);
        });
}

// The body in the process of one rank.
class RankCase : public ::testing::Test {
public:
    explicit RankCase(const RegisteredBody& body) : body_(body) {}

private:
    void TestBody() override
    {
        const ::testing::ScopedTrace trace(body_.file, body_.line, describe_rank(rank(), size()));
        try {
            body_.body();
        } catch (const std::exception& e) {
            ADD_FAILURE() << "exception: " << e.what();
        }
    }
    const RegisteredBody& body_;
};

// Prints failures only: the test program shows them when the job has failed.
class FailurePrinter : public ::testing::EmptyTestEventListener {
    void OnTestPartResult(const ::testing::TestPartResult& result) override
    {
        if (!result.failed()) return;
        std::fprintf(stderr, "%s:%d: %s\n", result.file_name() != nullptr ? result.file_name() : "?",
            result.line_number(), result.message());
        std::fflush(stderr);
    }
};

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Whether FMPL_TEST_MODES lets a body with these options run so.
bool runs_as(Mode mode, std::string_view modes, const RanksOptions& options)
{
    switch (mode) {
        case Mode::processes:
            return options.processes && (modes == "both" || modes == "processes");
        case Mode::threads:
            return options.threads &&
                   (modes == "both" || modes == "threads" || (modes == "processes" && !options.processes));
        case Mode::turns:
            return options.threads && modes == "turns";
    }
    return false;
}

}  // namespace

bool register_body(const char* suite, const char* name, const char* file, int line, Body body, RanksOptions options)
{
    bodies().push_back({suite, name, file, line, body, std::move(options)});
    return true;
}

void register_all()
{
    const std::string modes = environment_or("FMPL_TEST_MODES", "both");
    if (modes != "threads" && modes != "processes" && modes != "both" && modes != "turns") {
        throw std::runtime_error("FMPL_TEST_MODES is \"" + modes + "\"; allowed: threads, processes, both, turns");
    }
    for (const RegisteredBody& body : bodies()) {
        std::vector<std::string> forms = body.options.forms;
        if (forms.empty()) forms.emplace_back();
        for (const Mode mode : {Mode::threads, Mode::processes, Mode::turns}) {
            if (!runs_as(mode, modes, body.options)) continue;
            for (const int ranks : body.options.ranks) {
                for (const std::string& form : forms) {
                    register_case(body, ranks, mode, false, form);
                    if (body.options.unmapped && (ranks == 2 || ranks == 4))
                        register_case(body, ranks, mode, true, form);
                }
            }
        }
    }
}

int run_body_in_this_process(const std::string& name)
{
    const RegisteredBody* body = find_body(name);
    if (body == nullptr) {
        std::fprintf(stderr, "FMPL_TEST_BODY names %s, which this program does not have\n", name.c_str());
        return 2;
    }
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter);
    ::testing::RegisterTest(body->suite.c_str(), body->name.c_str(), nullptr, nullptr, body->file, body->line,
        [body]() -> ::testing::Test* { return new RankCase(*body); });
    ::testing::GTEST_FLAG(filter) = body->full_name();
    return RUN_ALL_TESTS();
}

bool modes_without_processes()
{
    const std::string modes = environment_or("FMPL_TEST_MODES", "both");
    return modes == "threads" || modes == "turns";
}

bool ranks_take_turns()
{
    return environment_or("FMPL_TEST_MODES", "both") == "turns" && size() > 1;
}

bool engine_is_unmapped()
{
    if (std::getenv("FMPL_TEST_BODY") != nullptr) return environment_or("FMPL_ENGINE", "shm") == "unmapped";
    return thread_job_is_unmapped;
}

std::uint64_t seed()
{
    static const std::uint64_t value = [] {
        const std::string given = environment_or("FMPL_TEST_SEED", "");
        if (!given.empty()) return static_cast<std::uint64_t>(std::stoull(given));
        return static_cast<std::uint64_t>(std::random_device{}());
    }();
    return value;
}

double stress_seconds()
{
    const std::string given = environment_or("FMPL_STRESS_SECONDS", "");
    return given.empty() ? 1.0 : std::stod(given);
}

std::span<std::atomic<std::uint64_t>> shared_words()
{
    return {reinterpret_cast<std::atomic<std::uint64_t>*>(SharedMemory::instance().bytes()), kSharedWords};
}

std::span<unsigned char> shared_plain()
{
    return {SharedMemory::instance().bytes() + kSharedWords * sizeof(std::atomic<std::uint64_t>), kSharedPlainBytes};
}

void wait_until(const std::function<bool()>& condition, const char* what)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(std::max(1, watchdog_seconds() / 2));
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error(std::string("waited in vain for ") + what);
        int sends = 0, spooled = 0;
        if (fmpl_rank_shares_thread() != 0) fmpl_sendbuf_check(&sends, &spooled);  // the others of the thread run
        std::this_thread::yield();
    }
}

std::size_t bind_to_one_cpu(std::uint64_t draw)
{
    // From all CPUs that the job may use, whatever the launcher has chosen: the kernel cuts the mask to those.
    cpu_set_t allowed;
    std::memset(&allowed, 0xff, sizeof allowed);
    sched_setaffinity(0, sizeof allowed, &allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) throw std::runtime_error("no CPU mask");
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
    }
    if (fmpl_rank_shares_thread() != 0) return cpus.size();  // where its thread is
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus[draw % cpus.size()], &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) throw std::runtime_error("the rank cannot be bound to a CPU");
    return cpus.size();
}

void random_delay(std::mt19937_64& random)
{
    const std::uint64_t draw = random() % 64;
    if (draw == 63 && random() % 4 == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } else if (draw < 8) {
        for (std::uint64_t i = 0; i < draw; ++i) std::this_thread::yield();
    } else if (draw < 24) {
        std::atomic<int> spins = static_cast<int>(draw) * 100;
        while (spins.fetch_sub(1, std::memory_order_relaxed) > 0) {
        }
    }
}

ProgramResult run_program(const std::vector<std::string>& arguments, const Environment& environment)
{
    std::vector<std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        // GoogleTest's own variables would make every rank write the same report or skip its body as another shard's.
        const bool replaced =
            std::any_of(environment.begin(), environment.end(), [&](const auto& v) { return v.first == name; });
        if (!replaced && name.rfind("GTEST_", 0) != 0 && name != "XML_OUTPUT_FILE") variables.push_back(text);
    }
    for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);

    std::vector<std::string> words = arguments;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<char*> envp;
    for (std::string& variable : variables) envp.push_back(variable.data());
    envp.push_back(nullptr);

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    pid_t child = -1;
    const int spawned = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    ProgramResult result;
    if (spawned != 0) {
        close(ends[0]);
        result.output = "cannot start " + arguments[0] + ": " + std::strerror(spawned);
        return result;
    }
    char block[4096];
    for (;;) {
        const ssize_t got = read(ends[0], block, sizeof block);
        if (got > 0) {
            result.output.append(block, static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            break;
        }
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

ProgramResult run_body_without_launcher(const std::string& name, const Environment& environment)
{
    SharedMemory::instance().clear();
    const WatchdogScope watchdog(name);
    return run_program({this_program()}, rank_environment(name, environment));
}

ProgramResult run_body_under_launcher(const std::string& name, int ranks, const Environment& environment)
{
    SharedMemory::instance().clear();
    const WatchdogScope watchdog(name);
    return start_under_launcher(name, ranks, environment);
}

std::string this_program()
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) throw std::runtime_error("cannot find out the path of the test program");
    return std::string(path, static_cast<std::size_t>(length));
}

void throw_failed_call(const char* file, int line, const char* call, int code)
{
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + " returned " +
                             std::to_string(code) + " (" + fmpl_strerror(code) + "): " + fmpl_error_message());
}

::testing::AssertionResult fails_with(int expected, int code, const std::vector<std::string>& words)
{
    if (code != expected) {
        return ::testing::AssertionFailure()
               << "code " << code << " (" << fmpl_strerror(code) << ") instead of " << expected << " ("
               << fmpl_strerror(expected) << "); words: " << fmpl_error_message();
    }
    const std::string message = fmpl_error_message();
    for (const std::string& word : words) {
        if (lower(message).find(lower(word)) == std::string::npos) {
            return ::testing::AssertionFailure()
                   << "\"" << word << "\" is missing in the error's words: \"" << message << "\"";
        }
    }
    return ::testing::AssertionSuccess();
}

}  // namespace fmpl_test
