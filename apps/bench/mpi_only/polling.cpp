#include "polling.hpp"

#include "../benchmarks.hpp"
#include "../message_memory.hpp"
#include "../report.hpp"

#include <fmt/format.h>

#include <mpi.h>

#include <vector>

namespace fmpl::bench {
namespace {

constexpr int kTag = 3;
constexpr int kHops = 2000;
constexpr int kBarriers = 500;
constexpr int kPanels = 160;
constexpr int kUpdates = 8192;
constexpr std::size_t kPanelBytes = 256 * kKiB;
constexpr std::size_t kShortPanelBytes = 64;
constexpr int kPieces = 16;  // of a rank's computation with one panel

using transport::check;

// Receives a number from `source` by polling.
using Poll = void (*)(int* number, int source);

MPI_Request posted(int* number, int source)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(number, 1, MPI_INT, source, kTag, MPI_COMM_WORLD, &request));
    return request;
}

void by_test(int* number, int source)
{
    MPI_Request request = posted(number, source);
    for (int flag = 0; flag == 0;) check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
}

void by_testany(int* number, int source)
{
    MPI_Request requests[] = {MPI_REQUEST_NULL, posted(number, source)};
    for (int flag = 0, index = 0; flag == 0;) check(MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE));
}

void by_testsome(int* number, int source)
{
    MPI_Request requests[] = {MPI_REQUEST_NULL, posted(number, source)};
    int indices[2];
    MPI_Status statuses[2];
    for (int found = 0; found == 0;) check(MPI_Testsome(2, requests, &found, indices, statuses));
}

void by_iprobe(int* number, int source)
{
    for (int flag = 0; flag == 0;) check(MPI_Iprobe(source, kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    check(MPI_Recv(number, 1, MPI_INT, source, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

void by_improbe(int* number, int source)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    for (int flag = 0; flag == 0;) check(MPI_Improbe(source, kTag, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
    check(MPI_Mrecv(number, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
}

void go_around(const Job& job, Poll poll, std::uint64_t rounds)
{
    const int next = (job.rank + 1) % job.ranks, previous = (job.rank + job.ranks - 1) % job.ranks;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        int number = 0;
        if (job.rank != 0) poll(&number, previous);
        check(MPI_Send(&number, 1, MPI_INT, next, kTag, MPI_COMM_WORLD));
        if (job.rank == 0) poll(&number, previous);
    }
}

void barriers(std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        for (int flag = 0; flag == 0;) check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    }
}

// A rank's part of the panels.
class Panels {
public:
    Panels(const Job& job, std::size_t bytes) : job_(job), panel_(bytes), values_(4 * kKiB, 1.0) {}

    void pass(std::uint64_t number)
    {
        const int root = job_.root(number);
        const int next = (job_.rank + 1) % job_.ranks;
        int pieces = kPieces;
        if (job_.rank == root) {
            send(next);
        } else {
            for (bool has_come = false; !has_come || pieces > 0;) {
                if (!has_come && is_there()) {
                    receive();
                    if (next != root) send(next);
                    has_come = true;
                }
                if (pieces > 0) compute_piece();
                --pieces;
            }
        }
        for (; pieces > 0; --pieces) compute_piece();
    }

    // Whether panels arrive as their roots have filled them.
    bool are_right()
    {
        bool right = true;
        for (int root = 0; root < job_.ranks; ++root) {
            const auto number = static_cast<std::uint64_t>(root);
            if (job_.rank == root) fill_pattern(panel_.data(), panel_.size(), number);
            pass(number);
            right = right && has_pattern(panel_.data(), panel_.size(), number);
        }
        return right;
    }

private:
    int previous() const { return (job_.rank + job_.ranks - 1) % job_.ranks; }
    bool is_there() const
    {
        int flag = 0;
        check(MPI_Iprobe(previous(), kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    }
    void send(int next) const { transport::send(panel_.data(), panel_.size(), next, kTag); }
    void receive() { transport::recv(panel_.data(), panel_.size(), previous(), kTag); }
    // 5 to 10 us, in 32 KiB that a panel may drive out of the nearest cache. One array: how two lie to each
    // other, which malloc decides, can double the time. One function, at the same place in a line for every MPI: how
    // the loop lies in the caches of instructions is a tenth of its time.
    [[gnu::noinline, gnu::aligned(64)]] void compute_piece()
    {
        for (int repeat = 0; repeat < 16; ++repeat) {
            for (double& value : values_) value = 0.5 * value + 1;
        }
    }

    const Job& job_;
    std::vector<std::byte> panel_;
    std::vector<double> values_;
};

// A rank's part of updates of tables, as HPC Challenge's MPIRandomAccess makes them: an update of 16 MiB in no order,
// and a look for what the previous rank has sent; of so many one message goes to the next.
class Updates {
public:
    explicit Updates(const Job& job) : job_(job), table_(kWords, 1), coming_(kOfMessage), going_(kOfMessage)
    {
        random_ += static_cast<std::uint64_t>(job.rank);
    }

    // Each rank makes and gets as many.
    void make(std::uint64_t count)
    {
        const std::uint64_t messages = count / kOfMessage;
        std::uint64_t come = 0;
        MPI_Request receive = messages > 0 ? post() : MPI_REQUEST_NULL;
        MPI_Request send = MPI_REQUEST_NULL;
        const auto look = [&] {
            int index = 0, flag = 0;
            MPI_Status status;
            check(MPI_Testany(1, &receive, &index, &flag, &status));
            if (flag == 0 || index == MPI_UNDEFINED) return;
            for (const std::uint64_t value : coming_) {
                update(value);
                got_ += value;
            }
            if (++come < messages) receive = post();
        };
        std::size_t gathered = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            look();
            random_ = random_ * 6364136223846793005u + 1;
            update(random_);
            made_ += random_;
            going_[gathered++] = random_;
            if (gathered < kOfMessage) continue;
            const int next = (job_.rank + 1) % job_.ranks;
            check(MPI_Isend(going_.data(), kOfMessage, MPI_UINT64_T, next, kTag, MPI_COMM_WORLD, &send));
            for (int sent = 0; sent == 0; look()) check(MPI_Test(&send, &sent, MPI_STATUS_IGNORE));
            gathered = 0;
        }
        while (come < messages) look();
    }

    // Whether what has come is what the previous rank has sent.
    bool are_right()
    {
        constexpr std::uint64_t kMessages = 8;
        std::uint64_t of_previous = 0;
        make(kMessages * kOfMessage);
        const int next = (job_.rank + 1) % job_.ranks, previous = (job_.rank + job_.ranks - 1) % job_.ranks;
        check(MPI_Sendrecv(&made_, 1, MPI_UINT64_T, next, kTag, &of_previous, 1, MPI_UINT64_T, previous, kTag,
            MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        return got_ == of_previous;
    }

private:
    static constexpr std::size_t kWords = 2 * 1024 * 1024;
    static constexpr int kOfMessage = 512;

    MPI_Request post()
    {
        MPI_Request request = MPI_REQUEST_NULL;
        const int previous = (job_.rank + job_.ranks - 1) % job_.ranks;
        check(MPI_Irecv(coming_.data(), kOfMessage, MPI_UINT64_T, previous, kTag, MPI_COMM_WORLD, &request));
        return request;
    }
    void update(std::uint64_t value) { table_[value >> 20 & (kWords - 1)] ^= value; }

    const Job& job_;
    std::vector<std::uint64_t> table_, coming_, going_;
    std::uint64_t random_ = 1;
    std::uint64_t made_ = 0, got_ = 0;  // the sums
};

}  // namespace

void run_polling(const Options& options, const Job& job, Report& report)
{
    Panels panels(job, kPanelBytes);
    Panels short_panels(job, kShortPanelBytes);
    Updates updates(job);
    all_must_be_right(panels.are_right(), "polling: a panel is wrong");
    all_must_be_right(short_panels.are_right(), "polling: a short panel is wrong");
    all_must_be_right(updates.are_right(), "polling: updates are missing");
    std::vector<std::string> columns = {"manner", "reps"};
    columns.insert(columns.end(), time_columns().begin(), time_columns().end());
    report.columns(columns);

    const auto measure = [&](const char* manner, const Sampling& sampling, const Batch& batch) {
        const Batch activities[] = {batch};
        const Samples samples = sample(sampling, transport::Group::world(), true, activities);
        std::vector<std::string> cells = {manner, fmt::format("{}", samples.reps)};
        for (std::string& cell : time_cells(samples.seconds[0])) cells.push_back(std::move(cell));
        report.row(cells, {{"manner", manner}, {"reps", samples.reps}, {"seconds", json_of(samples.seconds[0])}});
    };
    struct Manner {
        const char* name;
        Poll poll;
    };
    static constexpr Manner manners[] = {{"test", by_test}, {"testany", by_testany}, {"testsome", by_testsome},
        {"iprobe", by_iprobe}, {"improbe", by_improbe}};
    const auto ranks = static_cast<std::uint64_t>(job.ranks);
    for (const Manner& manner : manners) {
        measure(manner.name, options.sampling(kHops, job.ranks),
            [&](std::uint64_t, std::uint64_t hops) { go_around(job, manner.poll, (hops + ranks - 1) / ranks); });
    }
    measure("ibarrier", options.sampling(kBarriers, 1), [](std::uint64_t, std::uint64_t count) { barriers(count); });
    const auto measure_panels = [&](const char* name, Panels& passed) {
        measure(name, options.sampling(kPanels, job.ranks), [&](std::uint64_t first, std::uint64_t count) {
            for (std::uint64_t i = first; i < first + count; ++i) passed.pass(i);
        });
    };
    measure_panels("panels", panels);
    measure_panels("short-panels", short_panels);
    measure("updates", options.sampling(kUpdates, 1), [&](std::uint64_t, std::uint64_t count) { updates.make(count); });
}

}  // namespace fmpl::bench
