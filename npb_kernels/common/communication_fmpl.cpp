// communication.hpp over FMPL.
//
// An exchange is written by its senders: each rank tells the others once where its landing areas lie
// (fmpl_remote_place), writes its bytes there (fmpl_remote_room), and a barrier makes them visible. A publication is
// read by its readers (fmpl_remote_view), after a barrier or sum that makes it visible. Where a rank cannot address
// the memory of another one, the bytes of every pair go by messages instead.
#include "communication.hpp"
#include "readership.hpp"
#include "stopwatch.hpp"

#include <fmpl/fmpl.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

namespace fmpl::npb {

namespace {

// Messages between ranks that do not address each other: those of exchanges, of publications.
constexpr int kExchangeIndex = Group::kIndices;
constexpr int kPublicationIndex = kExchangeIndex + 1;

void check(int code)
{
    if (code != FMPL_SUCCESS) [[unlikely]]
        throw Error(code, fmpl_error_message());
}

// Remote-DMA memory.
struct Free {
    void operator()(std::byte* p) const { fmpl_free(p); }
};
using Memory = std::unique_ptr<std::byte, Free>;

Memory remote_memory(std::size_t bytes)
{
    Memory memory(static_cast<std::byte*>(fmpl_malloc(std::max<std::size_t>(bytes, 64))));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

// To be told to other ranks in a sum of such numbers.
std::int64_t place_of(const Memory& memory, std::size_t bytes)
{
    std::uint64_t place = 0;
    check(fmpl_remote_place(memory.get(), bytes, &place));
    return static_cast<std::int64_t>(place);
}

class FmplGroup final : public Group {
public:
    FmplGroup(fmpl_comm_t comm, Stopwatch& watch) : Group(rank_of(comm), size_of(comm)), comm_(comm), watch_(watch) {}
    ~FmplGroup() override
    {
        if (comm_ == FMPL_COMM_WORLD || std::uncaught_exceptions() != exceptions_) return;
        fmpl_comm_free(&comm_);  // what fails here fails again, in words, in fmpl_finalize
    }

    void barrier() override
    {
        const Stopwatch::Interval interval(watch_);
        check(fmpl_barrier(comm_));
    }
    void broadcast(std::span<std::byte> data, int root) override
    {
        const Stopwatch::Interval interval(watch_);
        check(fmpl_bcast(data.data(), data.size(), root, comm_));
    }
    using Group::maximum;
    using Group::sum;
    void sum(std::span<double> values) override { allreduce(values, FMPL_SUM_DOUBLE); }
    void sum(std::span<std::int64_t> values) override { allreduce(values, FMPL_SUM_INT64); }
    void sum(std::span<std::int32_t> values) override { allreduce(values, FMPL_SUM_INT32); }
    void maximum(std::span<double> values) override { allreduce(values, FMPL_MAX_DOUBLE); }

    void post_receive(void* to, std::size_t bytes, int source, int index) override
    {
        const Stopwatch::Interval interval(watch_);
        check(fmpl_irecv(to, bytes, source, index, comm_));
    }
    void wait_receive(int source, int index) override
    {
        const Stopwatch::Interval interval(watch_);
        check(fmpl_irecv_wait(source, index, comm_));
    }
    using Group::send;
    void send(const Pieces& pieces, int destination, int index) override
    {
        const Stopwatch::Interval interval(watch_);
        if (pieces.count == 1) {
            check(fmpl_send(pieces.base, pieces.bytes, destination, index, comm_));
            return;
        }
        const fmpl_columns columns{
            pieces.bytes, pieces.count, pieces.stride, 0, 0, static_cast<std::ptrdiff_t>(pieces.bytes), 0};
        check(fmpl_send_columns(pieces.base, &columns, destination, index, comm_));
    }

    fmpl_comm_t comm() const { return comm_; }
    int world_rank(int rank) const
    {
        int world = 0;
        check(fmpl_comm_world_rank(comm_, rank, &world));
        return world;
    }
    Stopwatch& watch() { return watch_; }

private:
    template <class T>
    void allreduce(std::span<T> values, fmpl_op_t operation)
    {
        const Stopwatch::Interval interval(watch_);
        check(fmpl_allreduce(values.data(), values.size(), operation, comm_, nullptr));
    }
    static int rank_of(fmpl_comm_t comm)
    {
        int rank = 0;
        check(fmpl_comm_rank(comm, &rank));
        return rank;
    }
    static int size_of(fmpl_comm_t comm)
    {
        int size = 0;
        check(fmpl_comm_size(comm, &size));
        return size;
    }

    fmpl_comm_t comm_;
    Stopwatch& watch_;
    int exceptions_ = std::uncaught_exceptions();
};

// What both forms of an exchange have: landing areas that take turns, and where the bytes of each source lie in one.
class FmplExchange : public Exchange {
public:
    FmplExchange(FmplGroup& group, std::size_t landing_bytes, int areas)
        : group_(group),
          ranks_(static_cast<std::size_t>(group.size())),
          landing_bytes_(landing_bytes),
          begins_(ranks_ + 1)
    {
        for (int area = 0; area < areas; ++area) areas_.push_back(remote_memory(landing_bytes));
    }

    std::span<std::byte> landing() final { return {area(), begins_.back()}; }
    std::span<std::byte> from(int source) final
    {
        const auto place = static_cast<std::size_t>(source);
        return {area() + begins_[place], begins_[place + 1] - begins_[place]};
    }

protected:
    std::byte* area() { return areas_[turn_].get(); }
    std::size_t turn() const { return turn_; }
    void take_turn() { turn_ = (turn_ + 1) % areas_.size(); }
    bool one_area() const { return areas_.size() == 1; }

    void equal_blocks(std::size_t block_bytes)
    {
        if (block_bytes > landing_bytes_ / ranks_) too_much(block_bytes * ranks_, own_rank());
        for (std::size_t rank = 0; rank <= ranks_; ++rank) begins_[rank] = rank * block_bytes;
    }
    // bytes_from(source): what comes from there.
    template <class BytesFrom>
    void blocks_of(const BytesFrom& bytes_from)
    {
        for (std::size_t rank = 0; rank < ranks_; ++rank) begins_[rank + 1] = begins_[rank] + bytes_from(rank);
        if (begins_.back() > landing_bytes_) too_much(begins_.back(), own_rank());
    }
    [[noreturn]] void too_much(std::size_t bytes, std::size_t rank) const
    {
        throw std::length_error("rank " + std::to_string(rank) + ": an exchange brings " + std::to_string(bytes) +
                                " bytes, and there is room for " + std::to_string(landing_bytes_));
    }
    std::size_t own_rank() const { return static_cast<std::size_t>(group_.rank()); }

    FmplGroup& group_;
    std::size_t ranks_;
    std::size_t landing_bytes_;
    std::vector<Memory> areas_;

private:
    std::vector<std::size_t> begins_;  // of each source in the landing area, and the end
    std::size_t turn_ = 0;
};

// Every rank addresses the memory of every other one.
//
// The bytes for each peer are told through tables: rank r's table, in its remote-DMA memory, has at place p what r
// sends to p. It is written between two meetings of the ranks, so that nobody reads a table that changes.
class WrittenExchange final : public FmplExchange {
public:
    WrittenExchange(FmplGroup& group, std::size_t landing_bytes, int areas)
        : FmplExchange(group, landing_bytes, areas),
          table_(remote_memory(ranks_ * sizeof(std::size_t))),
          befores_(ranks_),
          rooms_(ranks_)
    {
        // Places of the landing areas and the table, all ranks' in one array that a sum fills.
        const std::size_t each = areas_.size() + 1;
        std::vector<std::int64_t> places(ranks_ * each);
        std::int64_t* const own = places.data() + static_cast<std::size_t>(group.rank()) * each;
        for (std::size_t area = 0; area < areas_.size(); ++area) own[area] = place_of(areas_[area], landing_bytes);
        own[areas_.size()] = place_of(table_, ranks_ * sizeof(std::size_t));
        group.sum(std::span(places));
        for (std::size_t peer = 0; peer < ranks_; ++peer) {
            const int world = group.world_rank(static_cast<int>(peer));
            const auto place = [&](std::size_t i) { return static_cast<std::uint64_t>(places[peer * each + i]); };
            for (std::size_t area = 0; area < areas_.size(); ++area) {
                peer_areas_.push_back(static_cast<std::byte*>(fmpl_remote_room(world, place(area), landing_bytes)));
            }
            peer_tables_.push_back(static_cast<const std::size_t*>(
                fmpl_remote_view(world, place(areas_.size()), ranks_ * sizeof(std::size_t))));
            if (peer_areas_.back() == nullptr || peer_tables_.back() == nullptr) {
                throw std::length_error("rank " + std::to_string(group.rank()) + ": an exchange of " +
                                        std::to_string(landing_bytes) + " bytes has less room on rank " +
                                        std::to_string(peer) + "; give the same landing_bytes on all ranks");
            }
        }
    }
    // Nobody frees what others may still write to or read. After an exception the others may not come: the job ends
    // then.
    ~WrittenExchange() override
    {
        if (std::uncaught_exceptions() == exceptions_) fmpl_barrier(group_.comm());
    }

    void begin(std::size_t block_bytes) override
    {
        const Stopwatch::Interval interval(group_.watch());
        equal_blocks(block_bytes);
        take_turn();
        if (one_area()) group_.barrier();
        for (std::size_t peer = 0; peer < ranks_; ++peer) {
            rooms_[peer] = peer_area(peer) + static_cast<std::size_t>(group_.rank()) * block_bytes;
        }
    }
    void begin(std::span<const std::size_t> bytes_to) override
    {
        const Stopwatch::Interval interval(group_.watch());
        agree(bytes_to);
        take_turn();
        for (std::size_t peer = 0; peer < ranks_; ++peer) rooms_[peer] = peer_area(peer) + befores_[peer];
    }
    std::byte* room(int peer) override { return rooms_[static_cast<std::size_t>(peer)]; }
    void end() override { group_.barrier(); }

private:
    // Tells the others what comes from this rank, and learns what comes here and where this rank's bytes begin in
    // each landing area.
    void agree(std::span<const std::size_t> bytes_to)
    {
        std::memcpy(table_.get(), bytes_to.data(), bytes_to.size_bytes());
        group_.barrier();
        const std::size_t own = own_rank();
        blocks_of([&](std::size_t source) { return peer_tables_[source][own]; });
        for (std::size_t peer = 0; peer < ranks_; ++peer) {
            std::size_t before = 0;
            for (std::size_t source = 0; source < own; ++source) before += peer_tables_[source][peer];
            if (bytes_to[peer] != 0 && before + bytes_to[peer] > landing_bytes_)
                too_much(before + bytes_to[peer], peer);
            befores_[peer] = before;
        }
    }
    std::byte* peer_area(std::size_t peer) const { return peer_areas_[peer * areas_.size() + turn()]; }

    Memory table_;
    std::vector<std::byte*> peer_areas_;  // [peer][area]
    std::vector<const std::size_t*> peer_tables_;
    std::vector<std::size_t> befores_;  // where this rank's bytes begin in each peer's landing area
    std::vector<std::byte*> rooms_;
    int exceptions_ = std::uncaught_exceptions();
};

// By messages, from memory of the sender's.
class SentExchange final : public FmplExchange {
public:
    SentExchange(FmplGroup& group, std::size_t landing_bytes, int areas)
        : FmplExchange(group, landing_bytes, areas),
          sends_(ranks_ + 1)
    {
    }

    void begin(std::size_t block_bytes) override
    {
        equal_blocks(block_bytes);
        take_turn();
        for (std::size_t peer = 0; peer <= ranks_; ++peer) sends_[peer] = peer * block_bytes;
        make_room();
    }
    void begin(std::span<const std::size_t> bytes_to) override
    {
        const Stopwatch::Interval interval(group_.watch());
        take_turn();
        std::vector<std::int64_t> all(ranks_ * ranks_);
        const std::size_t own = own_rank();
        for (std::size_t peer = 0; peer < ranks_; ++peer) {
            all[own * ranks_ + peer] = static_cast<std::int64_t>(bytes_to[peer]);
            sends_[peer + 1] = sends_[peer] + bytes_to[peer];
        }
        group_.sum(std::span(all));
        blocks_of([&](std::size_t source) { return static_cast<std::size_t>(all[source * ranks_ + own]); });
        make_room();
    }
    std::byte* room(int peer) override { return staging_.get() + sends_[static_cast<std::size_t>(peer)]; }
    void end() override
    {
        const Stopwatch::Interval interval(group_.watch());
        const std::size_t own = own_rank();
        const auto source_at = [&](std::size_t distance) {
            return static_cast<int>((own + ranks_ - distance) % ranks_);
        };
        for (std::size_t distance = 1; distance < ranks_; ++distance) {
            const std::span<std::byte> to = from(source_at(distance));
            if (!to.empty())
                check(fmpl_irecv(to.data(), to.size(), source_at(distance), kExchangeIndex, group_.comm()));
        }
        std::memcpy(from(group_.rank()).data(), room(group_.rank()), sends_[own + 1] - sends_[own]);
        for (std::size_t distance = 1; distance < ranks_; ++distance) {
            const std::size_t peer = (own + distance) % ranks_;
            const std::size_t bytes = sends_[peer + 1] - sends_[peer];
            if (bytes == 0) continue;
            check(
                fmpl_send(room(static_cast<int>(peer)), bytes, static_cast<int>(peer), kExchangeIndex, group_.comm()));
        }
        for (std::size_t distance = 1; distance < ranks_; ++distance) {
            if (from(source_at(distance)).empty()) continue;
            check(fmpl_irecv_wait(source_at(distance), kExchangeIndex, group_.comm()));
        }
    }

private:
    void make_room()
    {
        if (sends_.back() <= staging_bytes_ && staging_ != nullptr) return;
        staging_ = remote_memory(sends_.back());
        staging_bytes_ = sends_.back();
    }

    std::vector<std::size_t> sends_;  // where the bytes for each peer begin in the staging memory, and the end
    Memory staging_;
    std::size_t staging_bytes_ = 0;
};

// What both forms of a publication have: the memory of what this rank publishes.
class FmplPublication : public Publication {
public:
    FmplPublication(FmplGroup& group, const Readership& readership)
        : group_(group),
          area_(remote_memory(readership.published())),
          own_(area_.get() + readership.own_begin(), readership.own_bytes())
    {
    }

    std::byte* begin() final { return area_.get(); }

protected:
    FmplGroup& group_;
    Memory area_;
    std::span<const std::byte> own_;  // what this rank reads of it
};

// Every rank addresses the memory of every other one.
class ViewedPublication final : public FmplPublication {
public:
    ViewedPublication(FmplGroup& group, const Readership& readership)
        : FmplPublication(group, readership),
          views_(static_cast<std::size_t>(group.size()))
    {
        // Places of the areas, all ranks' in one array that a sum fills.
        std::vector<std::int64_t> places(views_.size());
        places[static_cast<std::size_t>(group.rank())] = place_of(area_, readership.published());
        group.sum(std::span(places));
        for (const auto& [source, begin, bytes] : readership.read()) {
            const auto at = static_cast<std::size_t>(source);
            const void* const view =
                fmpl_remote_view(group.world_rank(source), static_cast<std::uint64_t>(places[at]) + begin, bytes);
            if (view == nullptr) throw std::runtime_error(unreadable(group.rank(), source));
            views_[at] = {static_cast<const std::byte*>(view), bytes};
        }
        views_[static_cast<std::size_t>(group.rank())] = own_;
    }
    // Nobody frees what others may still read. After an exception the others may not come: the job ends then.
    ~ViewedPublication() override
    {
        if (std::uncaught_exceptions() == exceptions_) fmpl_barrier(group_.comm());
    }

    void end() override { group_.barrier(); }
    // Nobody has the sum before everybody has given his part: it orders the memory of the ranks as a barrier does.
    void end(std::span<double> sums) override { group_.sum(sums); }
    std::span<const std::byte> of(int source) override { return views_[static_cast<std::size_t>(source)]; }

private:
    static std::string unreadable(int rank, int source)
    {
        return "rank " + std::to_string(rank) + ": what rank " + std::to_string(source) +
               " publishes is not in its remote-DMA memory";
    }

    std::vector<std::span<const std::byte>> views_;  // [source]
    int exceptions_ = std::uncaught_exceptions();
};

// By messages to the readers.
class SentPublication final : public FmplPublication {
public:
    SentPublication(FmplGroup& group, const Readership& readership)
        : FmplPublication(group, readership),
          landings_(static_cast<std::size_t>(group.size())),
          read_(readership.read()),
          given_(readership.given())
    {
        for (const auto& part : read_) {
            Landing& landing = landings_[static_cast<std::size_t>(part.rank)];
            landing = {remote_memory(part.bytes), part.bytes};
        }
    }

    void end() override
    {
        const Stopwatch::Interval interval(group_.watch());
        for (const auto& part : read_) {
            std::byte* const to = landings_[static_cast<std::size_t>(part.rank)].memory.get();
            check(fmpl_irecv(to, part.bytes, part.rank, kPublicationIndex, group_.comm()));
        }
        for (const auto& part : given_) {
            const std::byte* const from = area_.get() + part.begin;
            check(fmpl_send(from, part.bytes, part.rank, kPublicationIndex, group_.comm()));
        }
        for (const auto& part : read_) check(fmpl_irecv_wait(part.rank, kPublicationIndex, group_.comm()));
    }
    void end(std::span<double> sums) override
    {
        end();
        group_.sum(sums);
    }
    std::span<const std::byte> of(int source) override
    {
        if (source == group_.rank()) return own_;
        const Landing& landing = landings_[static_cast<std::size_t>(source)];
        return {landing.memory.get(), landing.bytes};
    }

private:
    struct Landing {
        Memory memory;
        std::size_t bytes = 0;
    };

    std::vector<Landing> landings_;  // [source]
    std::vector<Readership::Part> read_;
    std::vector<Readership::Part> given_;
};

class FmplCommunication final : public Communication {
public:
    FmplCommunication() : session_(kPublicationIndex + 1), world_(FMPL_COMM_WORLD, watch_) {}

    Group& world() override { return world_; }
    std::unique_ptr<Group> group(std::span<const int> world_ranks) override
    {
        const Stopwatch::Interval interval(watch_);
        fmpl_comm_t comm = FMPL_COMM_NULL;
        check(fmpl_comm_create_group(&comm, world_ranks.data(), static_cast<int>(world_ranks.size())));
        return std::make_unique<FmplGroup>(comm, watch_);
    }
    std::unique_ptr<Exchange> exchange(Group& group, std::size_t landing_bytes, int areas) override
    {
        auto& members = static_cast<FmplGroup&>(group);
        if (!all_reach_all(members)) return std::make_unique<SentExchange>(members, landing_bytes, areas);
        return std::make_unique<WrittenExchange>(members, landing_bytes, areas);
    }
    std::unique_ptr<Publication> publication(Group& group, std::size_t bytes, std::span<const int> sources) override
    {
        return publication(group, Readership::of_sources(group, bytes, sources));
    }
    std::unique_ptr<Publication> publication(Group& group, std::span<const std::size_t> bytes_for) override
    {
        return publication(group, Readership::of_parts(group, bytes_for));
    }
    bool publishes_in_place() override { return all_reach_all(world_); }
    bool ranks_take_turns() override { return fmpl_rank_shares_thread() != 0; }
    std::size_t staging_bytes(std::size_t sent) override { return reaches(world_) ? 0 : sent; }
    std::byte* allocate(std::size_t bytes) override
    {
        allocated_.push_back(remote_memory(bytes));
        return allocated_.back().get();
    }
    double communication_seconds() const override { return watch_.seconds(); }
    std::string library() const override
    {
        return "FMPL " + std::to_string(FMPL_VERSION_MAJOR) + "." + std::to_string(FMPL_VERSION_MINOR) + "." +
               std::to_string(FMPL_VERSION_PATCH);
    }
    [[noreturn]] void abort(const char* reason) override { fmpl_abort(1, reason); }

private:
    static std::unique_ptr<Publication> publication(Group& group, const Readership& readership)
    {
        auto& members = static_cast<FmplGroup&>(group);
        if (!all_reach_all(members)) return std::make_unique<SentPublication>(members, readership);
        return std::make_unique<ViewedPublication>(members, readership);
    }
    // Collective over them.
    static bool all_reach_all(FmplGroup& members)
    {
        const double unreachable = reaches(members) ? 0 : 1;
        return members.maximum(unreachable) == 0;
    }
    // Whether this rank addresses the memory of all of them.
    static bool reaches(const FmplGroup& members)
    {
        for (int rank = 0; rank < members.size(); ++rank) {
            if (fmpl_is_addressable(members.world_rank(rank)) == 0) return false;
        }
        return true;
    }

    Session session_;
    Stopwatch watch_;
    FmplGroup world_;
    std::vector<Memory> allocated_;
};

}  // namespace

int Communication::run_process(const std::function<int()>& rank_main)
{
    return fmpl::run_process(rank_main);
}

std::unique_ptr<Communication> Communication::join()
{
    return std::make_unique<FmplCommunication>();
}

}  // namespace fmpl::npb
