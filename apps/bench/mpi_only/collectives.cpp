#include "collectives.hpp"

#include "../collective_table.hpp"
#include "../message_memory.hpp"
#include "../report.hpp"
#include "new_data.hpp"

#include <fmt/format.h>

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace fmpl::bench {
namespace {

using transport::check;

// The ring that the neighborhood collectives go around.
class Ring {
public:
    explicit Ring(int ranks)
    {
        const int around = 1;
        check(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &around, 0, &comm_));
        check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    }
    ~Ring() { MPI_Comm_free(&comm_); }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    MPI_Comm comm() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

// By which the reductions sum up: MPI_SUM, or a function of the user's that does the same.
class Summing {
public:
    static OwnOption option()
    {
        return {"--operation", "WHICH",
            "Of the reductions: sum (MPI_SUM) or user (one of MPI_Op_create, which commutes) (default: sum)", "sum"};
    }
    static void settle(const Options& options)
    {
        const std::string& which = options.own.at("--operation");
        if (which != "sum" && which != "user") refuse(fmt::format("--operation '{}': give sum or user", which));
    }

    explicit Summing(const Options& options)
    {
        if (options.own.at("--operation") == "user") check(MPI_Op_create(&add, 1, &own_));
    }
    ~Summing()
    {
        if (own_ != MPI_OP_NULL) MPI_Op_free(&own_);
    }
    Summing(const Summing&) = delete;
    Summing& operator=(const Summing&) = delete;

    MPI_Op operation() const { return own_ != MPI_OP_NULL ? own_ : MPI_SUM; }

private:
    static void add(void* in, void* in_out, int* count, MPI_Datatype*)
    {
        for (int i = 0; i < *count; ++i) static_cast<double*>(in_out)[i] += static_cast<const double*>(in)[i];
    }

    MPI_Op own_ = MPI_OP_NULL;
};

// What the calls of one size are given.
struct Arguments {
    Arguments(const Job& job, const Ring& ring, const Summing& summing, std::size_t bytes_)
        : rank(job.rank),
          ranks(job.ranks),
          bytes(static_cast<int>(bytes_)),
          count(bytes / 8),
          ring(ring.comm()),
          sum(summing.operation())
    {
        for (int peer = 0; peer < ranks; ++peer) {
            of_ranks.add(uneven(peer));
            of_pairs.add(uneven(rank + peer));
            doubles.push_back(count);
        }
        types.assign(static_cast<std::size_t>(ranks), MPI_BYTE);
        const std::size_t room = 2 * bytes_ * static_cast<std::size_t>(std::max(ranks, 2));
        send.resize(room);
        receive.resize(room);
    }
    int uneven(int number) const { return bytes / 2 * (number % 3 + 1); }

    struct Blocks {
        void add(int block)
        {
            places.push_back(total);
            counts.push_back(block);
            total += block;
        }
        std::vector<int> counts, places;
        int total = 0;
    };

    int rank, ranks, bytes, count;
    MPI_Comm ring;
    MPI_Op sum;
    Blocks of_ranks;  // one of each rank, as long on all
    Blocks of_pairs;  // one of this rank and each other, as long for both
    std::vector<int> doubles;
    std::vector<MPI_Datatype> types;
    std::vector<std::byte> send, receive;
};

// What a call moves: the block of the root to all, one of each to the root, and so on; or sums of numbers.
enum class Data {
    none,
    of_root,
    to_root,
    from_root,
    to_all,
    to_each,
    to_neighbors,
    to_each_neighbor,
    sum_at_root,
    sum,
    sum_scattered,
    sum_up_to,
    sum_before
};

struct Call {
    const char* name;  // of the blocking call, without MPI_
    Data data;
    bool uneven;  // blocks of several lengths
    // q: starts the nonblocking call; nullptr: makes the blocking one.
    int (*make)(Arguments& a, int root, MPI_Request* q);
};

template <auto Blocking, auto Nonblocking, class... Given>
int make(MPI_Request* q, Given... given)
{
    return q != nullptr ? Nonblocking(given..., q) : Blocking(given...);
}

const Call kCalls[] = {
    {"barrier", Data::none, false,
        [](Arguments&, int, MPI_Request* q) { return make<MPI_Barrier, MPI_Ibarrier>(q, MPI_COMM_WORLD); }},
    {"bcast", Data::of_root, false,
        [](Arguments& a, int root, MPI_Request* q) {
            return make<MPI_Bcast, MPI_Ibcast>(q, a.receive.data(), a.bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        }},
    {"gather", Data::to_root, false,
        [](Arguments& a, int root, MPI_Request* q) {
            return make<MPI_Gather, MPI_Igather>(
                q, a.send.data(), a.bytes, MPI_BYTE, a.receive.data(), a.bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        }},
    {"gatherv", Data::to_root, true,
        [](Arguments& a, int root, MPI_Request* q) {
            return make<MPI_Gatherv, MPI_Igatherv>(q, a.send.data(), a.uneven(a.rank), MPI_BYTE, a.receive.data(),
                a.of_ranks.counts.data(), a.of_ranks.places.data(), MPI_BYTE, root, MPI_COMM_WORLD);
        }},
    {"scatter", Data::from_root, false,
        [](Arguments& a, int root, MPI_Request* q) {
            return make<MPI_Scatter, MPI_Iscatter>(
                q, a.send.data(), a.bytes, MPI_BYTE, a.receive.data(), a.bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        }},
    {"scatterv", Data::from_root, true,
        [](Arguments& a, int root, MPI_Request* q) {
            return make<MPI_Scatterv, MPI_Iscatterv>(q, a.send.data(), a.of_ranks.counts.data(),
                a.of_ranks.places.data(), MPI_BYTE, a.receive.data(), a.uneven(a.rank), MPI_BYTE, root, MPI_COMM_WORLD);
        }},
    {"allgather", Data::to_all, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Allgather, MPI_Iallgather>(
                q, a.send.data(), a.bytes, MPI_BYTE, a.receive.data(), a.bytes, MPI_BYTE, MPI_COMM_WORLD);
        }},
    {"allgatherv", Data::to_all, true,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Allgatherv, MPI_Iallgatherv>(q, a.send.data(), a.uneven(a.rank), MPI_BYTE, a.receive.data(),
                a.of_ranks.counts.data(), a.of_ranks.places.data(), MPI_BYTE, MPI_COMM_WORLD);
        }},
    {"alltoall", Data::to_each, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Alltoall, MPI_Ialltoall>(
                q, a.send.data(), a.bytes, MPI_BYTE, a.receive.data(), a.bytes, MPI_BYTE, MPI_COMM_WORLD);
        }},
    {"alltoallv", Data::to_each, true,
        [](Arguments& a, int, MPI_Request* q) {
            const int* const counts = a.of_pairs.counts.data();
            const int* const places = a.of_pairs.places.data();
            return make<MPI_Alltoallv, MPI_Ialltoallv>(
                q, a.send.data(), counts, places, MPI_BYTE, a.receive.data(), counts, places, MPI_BYTE, MPI_COMM_WORLD);
        }},
    {"alltoallw", Data::to_each, true,
        [](Arguments& a, int, MPI_Request* q) {
            const int* const counts = a.of_pairs.counts.data();
            const int* const places = a.of_pairs.places.data();
            return make<MPI_Alltoallw, MPI_Ialltoallw>(q, a.send.data(), counts, places, a.types.data(),
                a.receive.data(), counts, places, a.types.data(), MPI_COMM_WORLD);
        }},
    {"neighbor_allgather", Data::to_neighbors, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Neighbor_allgather, MPI_Ineighbor_allgather>(
                q, a.send.data(), a.bytes, MPI_BYTE, a.receive.data(), a.bytes, MPI_BYTE, a.ring);
        }},
    {"neighbor_alltoall", Data::to_each_neighbor, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall>(
                q, a.send.data(), a.bytes, MPI_BYTE, a.receive.data(), a.bytes, MPI_BYTE, a.ring);
        }},
    {"reduce", Data::sum_at_root, false,
        [](Arguments& a, int root, MPI_Request* q) {
            return make<MPI_Reduce, MPI_Ireduce>(
                q, a.send.data(), a.receive.data(), a.count, MPI_DOUBLE, a.sum, root, MPI_COMM_WORLD);
        }},
    {"allreduce", Data::sum, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Allreduce, MPI_Iallreduce>(
                q, a.send.data(), a.receive.data(), a.count, MPI_DOUBLE, a.sum, MPI_COMM_WORLD);
        }},
    {"reduce_scatter_block", Data::sum_scattered, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block>(
                q, a.send.data(), a.receive.data(), a.count, MPI_DOUBLE, a.sum, MPI_COMM_WORLD);
        }},
    {"reduce_scatter", Data::sum_scattered, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Reduce_scatter, MPI_Ireduce_scatter>(
                q, a.send.data(), a.receive.data(), a.doubles.data(), MPI_DOUBLE, a.sum, MPI_COMM_WORLD);
        }},
    {"scan", Data::sum_up_to, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Scan, MPI_Iscan>(
                q, a.send.data(), a.receive.data(), a.count, MPI_DOUBLE, a.sum, MPI_COMM_WORLD);
        }},
    {"exscan", Data::sum_before, false,
        [](Arguments& a, int, MPI_Request* q) {
            return make<MPI_Exscan, MPI_Iexscan>(
                q, a.send.data(), a.receive.data(), a.count, MPI_DOUBLE, a.sum, MPI_COMM_WORLD);
        }},
};

bool has_root(const Call& call)
{
    return call.data == Data::of_root || call.data == Data::to_root || call.data == Data::from_root ||
           call.data == Data::sum_at_root;
}
bool sums_up(const Call& call)
{
    return call.data >= Data::sum_at_root;
}

// Calls f(place, bytes, peer) for the blocks that the call has for all ranks.
template <class F>
void for_each_block(const Arguments& a, const Call& call, F&& f)
{
    const Arguments::Blocks& blocks = call.data == Data::to_each ? a.of_pairs : a.of_ranks;
    for (int peer = 0; peer < a.ranks; ++peer) {
        const auto at = static_cast<std::size_t>(peer);
        if (call.uneven) {
            f(blocks.places[at], blocks.counts[at], peer);
        } else {
            f(peer * a.bytes, a.bytes, peer);
        }
    }
}

// This rank's own block, in bytes, and all blocks together.
int own_block(const Arguments& a, const Call& call)
{
    return call.uneven ? a.uneven(a.rank) : a.bytes;
}
std::size_t all_blocks(const Arguments& a, const Call& call)
{
    std::size_t all = 0;
    for_each_block(a, call, [&](int, int bytes, int) { all += static_cast<std::size_t>(bytes); });
    return all;
}

std::uint64_t seed(int from, int to)
{
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

void fill(Arguments& a, const Call& call, int root)
{
    const auto put = [](std::vector<std::byte>& buffer, int place, int bytes, std::uint64_t what) {
        fill_pattern(buffer.data() + place, static_cast<std::size_t>(bytes), what);
    };
    std::fill(a.receive.begin(), a.receive.end(), std::byte{0xee});
    if (sums_up(call)) {
        std::fill_n(reinterpret_cast<double*>(a.send.data()), a.count * a.ranks, a.rank + 1.0);
        return;
    }
    switch (call.data) {
        case Data::of_root:
            if (a.rank == root) put(a.receive, 0, a.bytes, seed(root, 0));
            break;
        case Data::from_root:
        case Data::to_each:
            for_each_block(
                a, call, [&](int place, int bytes, int peer) { put(a.send, place, bytes, seed(a.rank, peer)); });
            break;
        default:
            put(a.send, 0, own_block(a, call), seed(a.rank, 0));
            if (call.data == Data::to_each_neighbor) put(a.send, a.bytes, a.bytes, seed(a.rank, 0));
    }
}

bool is_right(const Arguments& a, const Call& call, int root)
{
    const auto holds = [&](int place, int bytes, std::uint64_t what) {
        return has_pattern(a.receive.data() + place, static_cast<std::size_t>(bytes), what);
    };
    const auto all_are = [&](int sum) {
        const auto* const sums = reinterpret_cast<const double*>(a.receive.data());
        return std::all_of(sums, sums + a.count, [=](double found) { return found == sum; });
    };
    bool right = true;
    switch (call.data) {
        case Data::none:
            return true;
        case Data::of_root:
            return holds(0, a.bytes, seed(root, 0));
        case Data::from_root:
            return holds(0, own_block(a, call), seed(root, a.rank));
        case Data::to_root:
            if (a.rank != root) return true;
            [[fallthrough]];
        case Data::to_all:
            for_each_block(
                a, call, [&](int place, int bytes, int peer) { right = right && holds(place, bytes, seed(peer, 0)); });
            return right;
        case Data::to_each:
            for_each_block(a, call,
                [&](int place, int bytes, int peer) { right = right && holds(place, bytes, seed(peer, a.rank)); });
            return right;
        case Data::to_neighbors:
        case Data::to_each_neighbor:
            return holds(0, a.bytes, seed((a.rank + a.ranks - 1) % a.ranks, 0)) &&
                   holds(a.bytes, a.bytes, seed((a.rank + 1) % a.ranks, 0));
        case Data::sum_at_root:
            return a.rank != root || all_are(a.ranks * (a.ranks + 1) / 2);
        case Data::sum:
        case Data::sum_scattered:
            return all_are(a.ranks * (a.ranks + 1) / 2);
        case Data::sum_up_to:
            return all_are((a.rank + 1) * (a.rank + 2) / 2);
        case Data::sum_before:
            return a.rank == 0 || all_are(a.rank * (a.rank + 1) / 2);
    }
    return false;
}

// Work of about so many microseconds, the same for whatever library is measured: a chain of operations that wait for
// each other, which neither vectors nor a rank on the same core's other thread make faster or slower.
class Computation {
public:
    explicit Computation(int microseconds) : operations_(microseconds * kInAMicrosecond) {}
    void operator()()
    {
        double value = value_;
        for (int i = 0; i < operations_; ++i) value = 0.5 * value + 1;
        value_ = value;
        asm volatile("" : : "m"(value_));
    }

private:
    static constexpr int kInAMicrosecond = 600;  // at about 4 GHz
    int operations_;
    double value_ = 0;
};

// How many bytes this rank gives to a call: from the beginning of `send`; of `receive`, if it is a broadcast's root.
std::size_t given(const Arguments& a, const Call& call, int root)
{
    const auto bytes = static_cast<std::size_t>(a.bytes);
    switch (call.data) {
        case Data::none:
            return 0;
        case Data::of_root:
            return a.rank == root ? bytes : 0;
        case Data::from_root:
            return a.rank == root ? all_blocks(a, call) : 0;
        case Data::to_each:
            return all_blocks(a, call);
        case Data::to_each_neighbor:
            return 2 * bytes;
        case Data::sum_scattered:
            return bytes * static_cast<std::size_t>(a.ranks);
        default:
            return static_cast<std::size_t>(own_block(a, call));
    }
}
// How many it gets, at the beginning of `receive`.
std::size_t got(const Arguments& a, const Call& call, int root)
{
    const auto bytes = static_cast<std::size_t>(a.bytes);
    switch (call.data) {
        case Data::none:
            return 0;
        case Data::of_root:
            return a.rank != root ? bytes : 0;
        case Data::to_root:
            return a.rank == root ? all_blocks(a, call) : 0;
        case Data::sum_at_root:
            return a.rank == root ? bytes : 0;
        case Data::from_root:
            return static_cast<std::size_t>(own_block(a, call));
        case Data::to_all:
            return all_blocks(a, call);
        case Data::to_each:
            return all_blocks(a, call);
        case Data::to_neighbors:
        case Data::to_each_neighbor:
            return 2 * bytes;
        case Data::sum_before:
            return a.rank > 0 ? bytes : 0;
        default:
            return bytes;
    }
}

std::vector<std::byte>& given_from(Arguments& a, const Call& call)
{
    return call.data == Data::of_root ? a.receive : a.send;
}

constexpr int kMostBetween_us = 1'000'000;
constexpr const char* kAll = "all";

std::string name_of(const Call& call, bool nonblocking)
{
    return std::string(nonblocking ? "i" : "") + call.name;
}

// Whether the call is among those of --calls.
bool is_wanted(const Options& options, const std::string& name)
{
    const std::string& wanted = options.own.at("--calls");
    if (wanted == kAll) return true;
    const std::vector<std::string> names = items(wanted);
    return std::find(names.begin(), names.end(), name) != names.end();
}

void settle_collectives(Options& options)
{
    Roots::settle(options);
    NewData::settle(options);
    Summing::settle(options);
    read_count("--between", options.own.at("--between"), 0, kMostBetween_us);
    if (options.own.at("--calls") == kAll) return;
    for (const std::string& name : items(options.own.at("--calls"))) {
        const bool known = std::any_of(std::begin(kCalls), std::end(kCalls),
            [&](const Call& call) { return name == name_of(call, false) || name == name_of(call, true); });
        if (!known)
            refuse(fmt::format("--calls '{}': no collective call; they are named as in bcast and ibcast", name));
    }
}

void run_collectives(const Options& options, const Job& job, Report& report)
{
    const Roots roots(options, job);
    Computation computation(read_count("--between", options.own.at("--between"), 0, kMostBetween_us));
    NewData data(options);
    const Ring ring(job.ranks);
    const Summing summing(options);
    std::vector<std::string> columns = {"call", "bytes", "reps"};
    columns.insert(columns.end(), time_columns().begin(), time_columns().end());
    report.columns(columns);

    const auto measure = [&](const Call& call, bool nonblocking, Arguments& a) {
        const std::string name = name_of(call, nonblocking);
        if (!is_wanted(options, name)) return;
        const auto make = [&](int root) {
            MPI_Request request = MPI_REQUEST_NULL;
            check(call.make(a, root, nonblocking ? &request : nullptr));
            computation();
            if (nonblocking) check(MPI_Wait(&request, MPI_STATUS_IGNORE));
        };
        bool right = true;
        for (int root = 0; root < (has_root(call) ? job.ranks : 1); ++root) {
            fill(a, call, root);
            make(root);
            right = right && is_right(a, call, root);
        }
        all_must_be_right(right, fmt::format("collectives: {}: a result is wrong", name).c_str());
        const Batch activities[] = {[&](std::uint64_t first, std::uint64_t count) {
            for (std::uint64_t i = first; i < first + count; ++i) {
                const int root = has_root(call) ? roots.of(i) : 0;
                data.write(given_from(a, call).data(), given(a, call, root));
                make(root);
                data.read(a.receive.data(), got(a, call, root));
            }
        }};
        const std::size_t moved = static_cast<std::size_t>(a.bytes) * static_cast<std::size_t>(a.ranks);
        const Samples samples = sample(options.sampling(reps_for(moved, 32 * kMiB, 16, 1000), job.ranks),
            transport::Group::world(), true, activities);
        const std::vector<double>& seconds = samples.seconds[0];
        std::vector<std::string> cells = {name, fmt::format("{}", a.bytes), fmt::format("{}", samples.reps)};
        for (std::string& cell : time_cells(seconds)) cells.push_back(std::move(cell));
        report.row(cells, {{"line", fmt::format("{}-{}", name, call.data == Data::none ? 0 : a.bytes)}, {"call", name},
                              {"bytes", a.bytes}, {"reps", samples.reps}, {"seconds", json_of(seconds)}});
    };
    for (std::size_t i = 0; i < options.sizes.size(); ++i) {
        // Places are of type int, and blocks up to one and a half times as long.
        if (options.sizes[i] > std::numeric_limits<int>::max() / (2 * static_cast<std::size_t>(job.ranks))) {
            throw std::runtime_error(
                fmt::format("collectives: {} bytes are too many for a block of each of {} ranks; "
                            "give less with --sizes",
                    options.sizes[i], job.ranks));
        }
        Arguments a(job, ring, summing, options.sizes[i]);
        for (const Call& call : kCalls) {
            if (call.data == Data::none && i > 0) continue;
            for (const bool nonblocking : {false, true}) measure(call, nonblocking, a);
        }
    }
}

}  // namespace

Benchmark collectives_benchmark()
{
    return {"collectives", "Every collective call, blocking and nonblocking", {8, 256, 4 * kKiB, 64 * kKiB}, 8, false,
        false, false, run_collectives,
        {Roots::option(), NewData::option(), Summing::option(),
            {"--between", "US", "Compute for so many microseconds after each call (default: 0)", "0"},
            {"--calls", "NAMES", "Some calls, as in bcast,ibcast (default: all)", kAll}},
        settle_collectives, 2, MemoryKind::heap};
}

}  // namespace fmpl::bench
