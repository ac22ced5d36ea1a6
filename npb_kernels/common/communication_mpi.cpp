// communication.hpp over MPI: the calls that a user of MPI would write.
#include "communication.hpp"
#include "readership.hpp"
#include "stopwatch.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <thread>

namespace fmpl::npb {

namespace {

void check(int code)
{
    if (code == MPI_SUCCESS) [[likely]]
        return;
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw std::runtime_error(std::string(words, static_cast<std::size_t>(length)));
}

int count_of(std::size_t n)
{
    if (n > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw std::length_error("a message of " + std::to_string(n) + " elements: MPI counts to " +
                                std::to_string(std::numeric_limits<int>::max()) +
                                "; use more ranks or a smaller class");
    }
    return static_cast<int>(n);
}

// The longest unit of which a message consists, since MPI counts in int.
struct Unit {
    MPI_Datatype type;
    std::size_t bytes;
};
Unit unit_of(std::size_t bytes)
{
    if (bytes % sizeof(double) == 0) return {MPI_DOUBLE, sizeof(double)};
    if (bytes % sizeof(int) == 0) return {MPI_INT, sizeof(int)};
    return {MPI_BYTE, 1};
}

struct Free {
    void operator()(std::byte* p) const { MPI_Free_mem(p); }
};
using Memory = std::unique_ptr<std::byte, Free>;

// MPI_Alloc_mem promises no alignment: 64 bytes more make room for it.
constexpr std::size_t kLine = 64;

std::byte* aligned(std::byte* p)
{
    const auto misaligned = reinterpret_cast<std::uintptr_t>(p) % kLine;
    return misaligned == 0 ? p : p + (kLine - misaligned);
}

Memory message_memory(std::size_t bytes)
{
    void* p = nullptr;
    if (MPI_Alloc_mem(static_cast<MPI_Aint>(bytes + kLine), MPI_INFO_NULL, &p) != MPI_SUCCESS || p == nullptr) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::fprintf(stderr,
            "rank %d: MPI_Alloc_mem has no %zu bytes; use more memory, more ranks or a smaller class\n", rank, bytes);
        throw std::bad_alloc();
    }
    return Memory(static_cast<std::byte*>(p));
}

class MpiGroup final : public Group {
public:
    MpiGroup(MPI_Comm comm, Stopwatch& watch)
        : Group(rank_of(comm), size_of(comm)),
          comm_(comm),
          watch_(watch),
          requests_(static_cast<std::size_t>(size()) * kIndices)
    {
        std::fill(requests_.begin(), requests_.end(), MPI_REQUEST_NULL);
    }
    ~MpiGroup() override
    {
        if (comm_ != MPI_COMM_WORLD && std::uncaught_exceptions() == exceptions_) MPI_Comm_free(&comm_);
    }

    void barrier() override
    {
        const Stopwatch::Interval interval(watch_);
        check(MPI_Barrier(comm_));
    }
    void broadcast(std::span<std::byte> data, int root) override
    {
        const Stopwatch::Interval interval(watch_);
        check(MPI_Bcast(data.data(), count_of(data.size()), MPI_BYTE, root, comm_));
    }
    using Group::maximum;
    using Group::sum;
    void sum(std::span<double> values) override { allreduce(values, MPI_DOUBLE, MPI_SUM); }
    void sum(std::span<std::int64_t> values) override { allreduce(values, MPI_INT64_T, MPI_SUM); }
    void sum(std::span<std::int32_t> values) override { allreduce(values, MPI_INT32_T, MPI_SUM); }
    void maximum(std::span<double> values) override { allreduce(values, MPI_DOUBLE, MPI_MAX); }

    void post_receive(void* to, std::size_t bytes, int source, int index) override
    {
        const Stopwatch::Interval interval(watch_);
        const Unit unit = unit_of(bytes);
        check(MPI_Irecv(to, count_of(bytes / unit.bytes), unit.type, source, index, comm_, &request(source, index)));
    }
    void wait_receive(int source, int index) override
    {
        const Stopwatch::Interval interval(watch_);
        check(MPI_Wait(&request(source, index), MPI_STATUS_IGNORE));
    }
    using Group::send;
    void send(const Pieces& pieces, int destination, int index) override
    {
        const Stopwatch::Interval interval(watch_);
        const std::byte* data = pieces.base;
        if (pieces.count > 1) {
            pack(pieces);
            data = packed_.data();
        }
        const std::size_t bytes = pieces.total();
        const Unit unit = unit_of(bytes);
        check(MPI_Send(data, count_of(bytes / unit.bytes), unit.type, destination, index, comm_));
    }

    MPI_Comm comm() const { return comm_; }
    Stopwatch& watch() { return watch_; }
    // A tag of its own for each publication.
    int take_tag() { return next_tag_++; }

private:
    template <class T>
    void allreduce(std::span<T> values, MPI_Datatype type, MPI_Op operation)
    {
        const Stopwatch::Interval interval(watch_);
        check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), type, operation, comm_));
    }
    // By hand, as the benchmark's own programs do.
    void pack(const Pieces& pieces)
    {
        packed_.resize(std::max(packed_.size(), pieces.total()));
        std::byte* to = packed_.data();
        if (pieces.bytes == sizeof(double)) {
            for (std::size_t piece = 0; piece < pieces.count; ++piece) {
                std::memcpy(to + piece * sizeof(double), pieces.base + piece * pieces.stride, sizeof(double));
            }
            return;
        }
        for (std::size_t piece = 0; piece < pieces.count; ++piece) {
            std::memcpy(to + piece * pieces.bytes, pieces.base + piece * pieces.stride, pieces.bytes);
        }
    }
    MPI_Request& request(int source, int index)
    {
        return requests_[static_cast<std::size_t>(source) * kIndices + static_cast<std::size_t>(index)];
    }
    static int rank_of(MPI_Comm comm)
    {
        int rank = 0;
        check(MPI_Comm_rank(comm, &rank));
        return rank;
    }
    static int size_of(MPI_Comm comm)
    {
        int size = 0;
        check(MPI_Comm_size(comm, &size));
        return size;
    }

    MPI_Comm comm_;
    Stopwatch& watch_;
    std::vector<MPI_Request> requests_;  // [source][index]
    std::vector<std::byte> packed_;
    int next_tag_ = kIndices;
    int exceptions_ = std::uncaught_exceptions();
};

// By MPI_Alltoall and MPI_Alltoallv, from memory into which the rank has written its blocks in the order of the ranks.
class MpiExchange final : public Exchange {
public:
    MpiExchange(MpiGroup& group, std::size_t landing_bytes, int areas)
        : group_(group),
          ranks_(static_cast<std::size_t>(group.size())),
          landing_bytes_(landing_bytes),
          sends_(ranks_ + 1),
          lands_(ranks_ + 1)
    {
        for (int area = 0; area < areas; ++area) areas_.push_back(message_memory(landing_bytes));
    }

    void begin(std::size_t block_bytes) override
    {
        equal_blocks_ = true;
        for (std::size_t rank = 0; rank <= ranks_; ++rank) sends_[rank] = lands_[rank] = rank * block_bytes;
        make_room();
        take_turn();
    }
    void begin(std::span<const std::size_t> bytes_to) override
    {
        const Stopwatch::Interval interval(group_.watch());
        equal_blocks_ = false;
        agree(bytes_to);
        take_turn();
    }
    std::byte* room(int peer) override { return aligned(staging_.get()) + sends_[static_cast<std::size_t>(peer)]; }
    void end() override
    {
        const Stopwatch::Interval interval(group_.watch());
        if (equal_blocks_) {
            const Unit unit = unit_of(sends_[1]);
            const int count = count_of(sends_[1] / unit.bytes);
            check(MPI_Alltoall(aligned(staging_.get()), count, unit.type, area(), count, unit.type, group_.comm()));
            return;
        }
        const Table send(sends_), land(lands_);
        check(MPI_Alltoallv(aligned(staging_.get()), send.counts.data(), send.begins.data(), MPI_INT, area(),
            land.counts.data(), land.begins.data(), MPI_INT, group_.comm()));
    }

    std::span<std::byte> landing() override { return {area(), lands_.back()}; }
    std::span<std::byte> from(int source) override
    {
        const auto place = static_cast<std::size_t>(source);
        return {area() + lands_[place], lands_[place + 1] - lands_[place]};
    }

private:
    struct Table {  // in ints
        explicit Table(const std::vector<std::size_t>& places)
        {
            for (std::size_t rank = 0; rank + 1 < places.size(); ++rank) {
                counts.push_back(count_of((places[rank + 1] - places[rank]) / sizeof(int)));
                begins.push_back(count_of(places[rank] / sizeof(int)));
            }
        }
        std::vector<int> counts, begins;
    };

    std::byte* area() { return aligned(areas_[turn_].get()); }
    // Learns what comes from each rank.
    void agree(std::span<const std::size_t> bytes_to)
    {
        std::vector<std::uint64_t> out(bytes_to.begin(), bytes_to.end()), in(ranks_);
        check(MPI_Alltoall(out.data(), 1, MPI_UINT64_T, in.data(), 1, MPI_UINT64_T, group_.comm()));
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            sends_[rank + 1] = sends_[rank] + bytes_to[rank];
            lands_[rank + 1] = lands_[rank] + in[rank];
        }
        make_room();
    }
    void make_room()
    {
        if (lands_.back() > landing_bytes_) {
            throw std::length_error("rank " + std::to_string(group_.rank()) + ": an exchange brings " +
                                    std::to_string(lands_.back()) + " bytes, and there is room for " +
                                    std::to_string(landing_bytes_));
        }
        if (sends_.back() <= staging_bytes_ && staging_ != nullptr) return;
        staging_ = message_memory(sends_.back());
        staging_bytes_ = sends_.back();
    }
    void take_turn() { turn_ = (turn_ + 1) % areas_.size(); }

    MpiGroup& group_;
    std::size_t ranks_;
    std::size_t landing_bytes_;
    std::vector<Memory> areas_;
    Memory staging_;
    std::size_t staging_bytes_ = 0;
    std::vector<std::size_t> sends_;  // where the bytes for each peer begin in the staging memory, and the end
    std::vector<std::size_t> lands_;  // where those of each source begin in the landing area, and the end
    std::size_t turn_ = 0;
    bool equal_blocks_ = true;
};

// A message to each reader, whose receive begin() posts.
class MpiPublication final : public Publication {
public:
    MpiPublication(MpiGroup& group, const Readership& readership)
        : group_(group),
          own_begin_(readership.own_begin()),
          own_bytes_(readership.own_bytes()),
          lands_(static_cast<std::size_t>(group.size())),
          given_(readership.given()),
          tag_(group.take_tag())
    {
        std::size_t landing_bytes = 0;
        for (const auto& part : readership.read()) {
            lands_[static_cast<std::size_t>(part.rank)] = {landing_bytes, part.bytes};
            landing_bytes += (part.bytes + kLine - 1) / kLine * kLine;
            sources_.push_back(part.rank);
        }
        area_ = message_memory(readership.published());
        landing_ = message_memory(landing_bytes);
    }

    std::byte* begin() override
    {
        const Stopwatch::Interval interval(group_.watch());
        requests_.clear();
        for (const int source : sources_) {
            const auto [begin, bytes] = lands_[static_cast<std::size_t>(source)];
            const Unit unit = unit_of(bytes);
            check(MPI_Irecv(aligned(landing_.get()) + begin, count_of(bytes / unit.bytes), unit.type, source, tag_,
                group_.comm(), &requests_.emplace_back()));
        }
        return aligned(area_.get());
    }
    void end() override
    {
        const Stopwatch::Interval interval(group_.watch());
        for (const auto& part : given_) {
            const Unit unit = unit_of(part.bytes);
            check(MPI_Isend(aligned(area_.get()) + part.begin, count_of(part.bytes / unit.bytes), unit.type, part.rank,
                tag_, group_.comm(), &requests_.emplace_back()));
        }
        check(MPI_Waitall(count_of(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    }
    void end(std::span<double> sums) override
    {
        end();
        group_.sum(sums);
    }
    std::span<const std::byte> of(int source) override
    {
        if (source == group_.rank()) return {aligned(area_.get()) + own_begin_, own_bytes_};
        const auto [begin, bytes] = lands_[static_cast<std::size_t>(source)];
        return {aligned(landing_.get()) + begin, bytes};
    }

private:
    struct Land {
        std::size_t begin, bytes;
    };

    MpiGroup& group_;
    std::size_t own_begin_, own_bytes_;
    Memory area_, landing_;
    std::vector<Land> lands_;  // what comes from each source, in the landing area
    std::vector<int> sources_;
    std::vector<Readership::Part> given_;
    int tag_;
    std::vector<MPI_Request> requests_;
};

// MPI_Init joins the job; MPI_Finalize leaves it, but not after an exception: the others would wait for the rank that
// failed.
class Session {
public:
    Session()
    {
        check(MPI_Init(nullptr, nullptr));
        check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    }
    ~Session()
    {
        if (std::uncaught_exceptions() == exceptions_) MPI_Finalize();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

private:
    int exceptions_ = std::uncaught_exceptions();
};

class MpiCommunication final : public Communication {
public:
    MpiCommunication() : world_(MPI_COMM_WORLD, watch_) {}

    Group& world() override { return world_; }
    std::unique_ptr<Group> group(std::span<const int> world_ranks) override
    {
        const Stopwatch::Interval interval(watch_);
        MPI_Group all = MPI_GROUP_NULL, members = MPI_GROUP_NULL;
        MPI_Comm comm = MPI_COMM_NULL;
        check(MPI_Comm_group(MPI_COMM_WORLD, &all));
        check(MPI_Group_incl(all, count_of(world_ranks.size()), world_ranks.data(), &members));
        check(MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &comm));
        MPI_Group_free(&members);
        MPI_Group_free(&all);
        return std::make_unique<MpiGroup>(comm, watch_);
    }
    std::unique_ptr<Exchange> exchange(Group& group, std::size_t landing_bytes, int areas) override
    {
        return std::make_unique<MpiExchange>(static_cast<MpiGroup&>(group), landing_bytes, areas);
    }
    std::unique_ptr<Publication> publication(Group& group, std::size_t bytes, std::span<const int> sources) override
    {
        return std::make_unique<MpiPublication>(
            static_cast<MpiGroup&>(group), Readership::of_sources(group, bytes, sources));
    }
    std::unique_ptr<Publication> publication(Group& group, std::span<const std::size_t> bytes_for) override
    {
        return std::make_unique<MpiPublication>(static_cast<MpiGroup&>(group), Readership::of_parts(group, bytes_for));
    }
    bool publishes_in_place() override { return false; }
    bool ranks_take_turns() override { return false; }
    std::size_t staging_bytes(std::size_t sent) override { return sent; }
    std::byte* allocate(std::size_t bytes) override
    {
        allocated_.push_back(message_memory(bytes));
        return aligned(allocated_.back().get());
    }
    double communication_seconds() const override { return watch_.seconds(); }
    std::string library() const override
    {
        char words[MPI_MAX_LIBRARY_VERSION_STRING];
        int length = 0;
        check(MPI_Get_library_version(words, &length));
        std::string text(words, static_cast<std::size_t>(length));
        text.resize(std::min({text.size(), text.find('\n'), text.find(',')}));
        std::replace(text.begin(), text.end(), '\t', ' ');
        return text;
    }
    [[noreturn]] void abort(const char* reason) override
    {
        std::fprintf(stderr, "%s\n", reason);
        // MPICH's launcher loses what it has not read from a rank when the job is aborted: these words, 15 times of
        // 300.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        MPI_Abort(MPI_COMM_WORLD, 1);
        std::terminate();
    }

private:
    Session session_;
    Stopwatch watch_;
    MpiGroup world_;
    std::vector<Memory> allocated_;
};

}  // namespace

int Communication::run_process(const std::function<int()>& rank_main)
{
    return rank_main();
}

std::unique_ptr<Communication> Communication::join()
{
    return std::make_unique<MpiCommunication>();
}

}  // namespace fmpl::npb
