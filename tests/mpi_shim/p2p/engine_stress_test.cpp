// Random MPI traffic of every kind at once, checked byte by byte.
//
// A round is a list of messages that every rank derives from the seed: random ends (a rank to itself too), communicator, tag,
// size, mode, types in one piece or strided, in remote-DMA memory or not. Every rank sends and receives its part, the messages
// of one source, destination, communicator and tag in the order of the list, the others in any order, with delays, tests, cancelled
// receives, and blocking and nonblocking collective calls on other communicators in between. What keeps that free of deadlock:
//
//   mixed          nothing but nonblocking calls; all is completed in the end
//   posted first   all receives are posted, then the sends may block and be of the ready mode
//   sent first     all sends are started, then the receives may block, behind probes or not
//
// In a round, the receives of a rank on a communicator have one form: exact, by any source, by any tag, or by any of both. So
// it is known of each which message it gets: the earliest of its source that it matches and that no earlier receive has got.
// (Where the receives are posted first, forms are mixed as well: see mix_forms.)
//
// FMPL_TEST_SEED repeats a run; FMPL_STRESS_SECONDS (default 1) is the length of one at each rank count.
#include "mpi_shim/standard/message.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using fmpl_test::random_delay;
using fmpl_test::stress_seconds;
using mpi_test::pattern_byte;
using Random = std::mt19937_64;

constexpr unsigned char kUntouched = 0x5a;
constexpr int kTags = 5;
constexpr int kNeverSent = 99;
constexpr std::size_t kMostBuffered = 20000;
constexpr std::size_t kBufferBytes = std::size_t{6} << 20;

// Under MPI_ERRORS_RETURN: what no call of a round may return.
void require(int code, const char* call)
{
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw std::runtime_error(std::string(call) + ": " + words);
}

// The same on all ranks of the job: a communicator, and which ranks of MPI_COMM_WORLD are in it, in its order.
struct Group {
    std::vector<int> members;
    MPI_Comm comm = MPI_COMM_NULL;  // null for ranks outside

    int rank_of(int world_rank) const
    {
        const auto at = std::find(members.begin(), members.end(), world_rank);
        return at == members.end() ? -1 : static_cast<int>(at - members.begin());
    }
};

// Memory for a message in one piece, or in blocks with gaps; with guards, in remote-DMA memory or not.
class Memory {
public:
    Memory(std::size_t bytes, std::uint64_t draw) : bytes_(bytes)
    {
        const bool strided = draw % 3 == 0 && bytes > 0;
        block_ = strided ? std::array<std::size_t, 6>{1, 3, 8, 40, 512, 5000}[draw / 3 % 6]
                         : std::max<std::size_t>(bytes, 1);
        // Not too many pieces of a long message.
        if (strided && bytes / block_ > 20000) block_ = 64;
        stride_ = strided ? block_ + 1 + draw / 18 % 33 : block_;
        extent_ = bytes == 0 ? 0 : (bytes - 1) / block_ * stride_ + (bytes - 1) % block_ + 1;
        const std::size_t all = extent_ + 2 * kGuard;
        if (draw / 1024 % 2 == 0) {
            remote_ = static_cast<unsigned char*>(fmpl_malloc(all));
            if (remote_ == nullptr) throw std::bad_alloc();
            begin_ = remote_;
        } else {
            heap_ = std::make_unique<unsigned char[]>(all);
            begin_ = heap_.get();
        }
        std::memset(begin_, kUntouched, all);
        if (strided) make_type();
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory()
    {
        if (type_ != MPI_BYTE) MPI_Type_free(&type_);
        fmpl_free(remote_);
    }

    void* data() { return begin_ + kGuard; }
    int count() const { return type_ == MPI_BYTE ? static_cast<int>(bytes_) : 1; }
    MPI_Datatype type() const { return type_; }

    void fill(std::uint64_t key)
    {
        for_each_byte(bytes_, [&](std::size_t i, std::size_t at) { begin_[kGuard + at] = pattern_byte(key, i); });
    }
    void spoil()
    {
        for_each_byte(bytes_, [&](std::size_t, std::size_t at) { begin_[kGuard + at] = 0xee; });
    }

    // The message `key` of so many bytes is there, and nothing else has changed.
    ::testing::AssertionResult holds(std::uint64_t key, std::size_t bytes) const
    {
        std::vector<unsigned char> expected(extent_ + 2 * kGuard, kUntouched);
        for_each_byte(bytes, [&](std::size_t i, std::size_t at) { expected[kGuard + at] = pattern_byte(key, i); });
        return same(expected, "message");
    }
    // Whatever is in the message's own bytes, nothing else has changed.
    ::testing::AssertionResult has_gaps_untouched() const
    {
        std::vector<unsigned char> expected(extent_ + 2 * kGuard, kUntouched);
        for_each_byte(bytes_, [&](std::size_t, std::size_t at) { expected[kGuard + at] = begin_[kGuard + at]; });
        return same(expected, "gap");
    }

private:
    static constexpr std::size_t kGuard = 64;

    template <class Visit>
    void for_each_byte(std::size_t bytes, Visit&& visit) const
    {
        std::size_t i = 0;
        for (std::size_t at = 0; i < bytes; at += stride_) {
            const std::size_t end = std::min(bytes, i + block_);
            for (std::size_t in_block = at; i < end; ++i, ++in_block) visit(i, in_block);
        }
    }

    ::testing::AssertionResult same(const std::vector<unsigned char>& expected, const char* what) const
    {
        if (std::memcmp(expected.data(), begin_, expected.size()) == 0) return ::testing::AssertionSuccess();
        std::size_t at = 0;
        while (expected[at] == begin_[at]) ++at;
        return ::testing::AssertionFailure()
               << what << ": byte " << static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(kGuard) << " of "
               << bytes_ << " (block " << block_ << ", stride " << stride_ << ") is " << int{begin_[at]}
               << " instead of " << int{expected[at]};
    }

    // Whole blocks, and what is left of one.
    void make_type()
    {
        const int whole = static_cast<int>(bytes_ / block_);
        const int rest = static_cast<int>(bytes_ % block_);
        MPI_Datatype blocks = MPI_DATATYPE_NULL;
        require(MPI_Type_vector(whole, static_cast<int>(block_), static_cast<int>(stride_), MPI_BYTE, &blocks),
            "MPI_Type_vector");
        const int lengths[2] = {1, rest};
        const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(static_cast<std::size_t>(whole) * stride_)};
        const MPI_Datatype types[2] = {blocks, MPI_BYTE};
        require(MPI_Type_create_struct(2, lengths, places, types, &type_), "MPI_Type_create_struct");
        require(MPI_Type_commit(&type_), "MPI_Type_commit");
        require(MPI_Type_free(&blocks), "MPI_Type_free");
    }

    std::size_t bytes_;
    std::size_t block_;
    std::size_t stride_;
    std::size_t extent_;
    unsigned char* begin_ = nullptr;
    unsigned char* remote_ = nullptr;
    std::unique_ptr<unsigned char[]> heap_;
    MPI_Datatype type_ = MPI_BYTE;
};

enum class Mode { standard, synchronous, buffered, ready };
enum class Order { mixed, posted_first, sent_first };

struct PlannedMessage {
    int group;
    int source;       // rank in the group
    int destination;  // likewise
    int tag;
    std::size_t bytes;
    Mode mode;
    bool any_source = false;  // of the receive that is posted for it, which may get another one
    bool any_tag = false;
    std::size_t room = 0;  // of that receive
    std::uint64_t send_draw = 0;
    std::uint64_t receive_draw = 0;
};

struct Plan {
    Order order = Order::mixed;
    std::vector<PlannedMessage> messages;
    std::uint64_t key = 0;
    int blocking_collectives = 0;
    int started_collectives = 0;

    std::uint64_t key_of(std::size_t k) const { return key + k * 0x100000001b3u; }
};

std::size_t random_size(Random& random, bool many)
{
    static constexpr std::array<std::size_t, 31> kLimits = {0, 1, 8, 23, 24, 25, 63, 64, 65, 72, 73, 127, 128, 129,
        1023, 1024, 4095, 4096, 4097, 8192, 16383, 16384, 16385, 32768, 65535, 65536, 65537, 131072, 262143, 262145,
        300000};
    const std::uint64_t draw = random() % (many ? 9 : 12);
    if (draw < 3) return random() % 200;
    if (draw < 5) return kLimits[random() % (many ? 22 : kLimits.size())];
    if (draw < 7) return random() % 5000;
    if (draw < 9) return random() % 17000;
    return random() % (draw < 11 ? 70000 : 300000);
}

// Receives that are all posted before the first message is sent may be exact and by any tag, mixed: each message of a source goes
// to the first one that it matches. Takes back what would leave a receive without a message.
void mix_forms(std::vector<PlannedMessage>& messages, Random& random)
{
    std::map<std::tuple<int, int, int>, std::vector<std::size_t>> streams;
    for (std::size_t k = 0; k < messages.size(); ++k) {
        const PlannedMessage& m = messages[k];
        streams[{m.group, m.source, m.destination}].push_back(k);
    }
    for (const auto& [ends, stream] : streams) {
        for (const std::size_t k : stream) messages[k].any_tag = random() % 3 == 0;
        std::vector<bool> taken(stream.size());
        bool all = true;
        for (const std::size_t k : stream) {
            std::size_t receive = 0;
            while (receive < stream.size() &&
                   (taken[receive] ||
                       !(messages[stream[receive]].any_tag || messages[stream[receive]].tag == messages[k].tag))) {
                ++receive;
            }
            all = all && receive < stream.size();
            if (receive < stream.size()) taken[receive] = true;
        }
        if (!all) {
            for (const std::size_t k : stream) messages[k].any_tag = false;
        }
    }
}

Plan make_plan(Random& random, const std::vector<Group>& groups, int ranks)
{
    Plan plan;
    plan.order = static_cast<Order>(random() % 3);
    plan.key = random();
    plan.blocking_collectives = static_cast<int>(random() % 5);
    plan.started_collectives = static_cast<int>(random() % 4);
    // Rounds in which one pair has most of the messages fill its window and its channels.
    const bool one_pair = random() % 4 == 0;
    const std::uint64_t pair_draw = random();
    const bool long_ones = random() % 8 == 0;
    // Long ones as long as their receives, of which the source may be told ahead.
    const bool equal_ones = random() % 4 == 0;
    const std::size_t length = ranks > 7 ? 10 + random() % 30 : one_pair ? 100 + random() % 200 : 20 + random() % 80;
    std::map<std::pair<int, int>, std::uint64_t> forms;  // by group and destination
    std::vector<std::size_t> buffered(static_cast<std::size_t>(ranks));
    for (std::size_t k = 0; k < length; ++k) {
        PlannedMessage m{};
        m.group = static_cast<int>(random() % groups.size());
        const Group& group = groups[static_cast<std::size_t>(m.group)];
        const std::uint64_t ends = one_pair && random() % 8 != 0 ? pair_draw : random();
        m.source = static_cast<int>(ends % group.members.size());
        m.destination = static_cast<int>(ends / 64 % group.members.size());
        m.tag = static_cast<int>(random() % kTags);
        m.bytes = long_ones && random() % 2 == 0 ? 20000 + random() % 100000 : random_size(random, one_pair);
        m.mode = static_cast<Mode>(random() % 4);
        if (m.mode == Mode::ready && plan.order != Order::posted_first) m.mode = Mode::standard;
        if (m.mode == Mode::buffered) {
            std::size_t& used = buffered[static_cast<std::size_t>(group.members[static_cast<std::size_t>(m.source)])];
            if (m.bytes > kMostBuffered || used + m.bytes > kBufferBytes / 2) {
                m.mode = Mode::standard;
            } else {
                used += m.bytes + MPI_BSEND_OVERHEAD;
            }
        }
        auto& form = forms.try_emplace({m.group, m.destination}, random() % 8).first->second;
        m.any_source = form == 1 || form == 3;
        m.any_tag = form == 2 || form == 3;
        m.send_draw = random();
        m.receive_draw = random();
        m.room = m.bytes + (random() % 3 == 0 ? random() % 500 : 0);
        if (form > 3 && m.bytes > 0 && random() % 16 == 0) m.room = random() % m.bytes;
        if (equal_ones && m.mode != Mode::buffered && random() % 4 != 0) {
            m.bytes = m.room = random() % 2 == 0 ? 65536 : 70000;
        }
        plan.messages.push_back(m);
    }
    if (plan.order == Order::posted_first && random() % 2 == 0) {
        for (PlannedMessage& m : plan.messages) m.any_source = false;
        mix_forms(plan.messages, random);
    }
    // A wildcard may get any message of the round to this rank and communicator.
    for (PlannedMessage& m : plan.messages) {
        if (!m.any_source && !m.any_tag) continue;
        for (const PlannedMessage& other : plan.messages) {
            if (other.group == m.group && other.destination == m.destination) m.room = std::max(m.room, other.bytes);
        }
    }
    if (plan.order == Order::posted_first) {
        // Exact receives may now get another message of the same tag.
        for (PlannedMessage& m : plan.messages) {
            for (const PlannedMessage& other : plan.messages) {
                if (other.group == m.group && other.destination == m.destination && other.source == m.source &&
                    (other.any_tag || m.any_tag)) {
                    for (const PlannedMessage& third : plan.messages) {
                        if (third.group == m.group && third.destination == m.destination) {
                            m.room = std::max(m.room, third.bytes);
                        }
                    }
                    break;
                }
            }
        }
    }
    return plan;
}

// One rank's part in one round.
class Round {
public:
    Round(const Plan& plan, const std::vector<Group>& groups, MPI_Comm blocking, MPI_Comm started, Random& random)
        : plan_(plan),
          groups_(groups),
          blocking_(blocking),
          started_comm_(started),
          random_(random)
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &me_);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    }

    void run()
    {
        // Of each order that has to be kept, the positions in the list; what comes next is drawn among them.
        for (std::size_t k = 0; k < plan_.messages.size(); ++k) {
            const PlannedMessage& m = plan_.messages[k];
            const Group& group = groups_[static_cast<std::size_t>(m.group)];
            if (group.rank_of(me_) == m.source) sends_to_do_[{m.group, m.destination}].push_back(k);
            if (group.rank_of(me_) == m.destination) receives_to_do_[m.group].push_back(k);
        }
        if (plan_.order == Order::posted_first) {
            do_all(false, true);
            require(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
            may_block_ = true;
            do_all(true, false);
        } else if (plan_.order == Order::sent_first) {
            do_all(true, false);
            do_all(false, true);
        } else {
            may_block_ = true;
            do_all(true, true);
        }
        while (collectives_done_ < plan_.blocking_collectives) blocking_collective();
        while (collectives_started_ < plan_.started_collectives) start_collective();
        finish();
    }

private:
    struct Send {
        std::size_t k;
        std::unique_ptr<Memory> memory;
        bool detached = false;
    };
    struct Receive {
        std::size_t k;
        std::unique_ptr<Memory> memory;
        MPI_Status status{};
        int code = MPI_SUCCESS;
        std::vector<unsigned char> other{};
    };
    struct Cancelled {
        MPI_Request request;
        std::unique_ptr<Memory> memory;
    };
    struct Collective {
        int kind;
        int number;
        std::vector<std::int64_t> in;
        std::vector<std::int64_t> out;
    };

    // Where a request of the array belongs.
    struct Owner {
        enum class Of { send, receive, collective } of;
        std::size_t index;
    };

    void do_all(bool sends, bool receives)
    {
        for (;;) {
            std::vector<std::deque<std::size_t>*> queues;
            if (sends) {
                for (auto& [ends, queue] : sends_to_do_) {
                    if (!queue.empty()) queues.push_back(&queue);
                }
            }
            const std::size_t of_sends = queues.size();
            if (receives) {
                for (auto& [group, queue] : receives_to_do_) {
                    if (!queue.empty()) queues.push_back(&queue);
                }
            }
            if (queues.empty()) return;
            const std::size_t chosen = random_() % queues.size();
            const std::size_t k = queues[chosen]->front();
            queues[chosen]->pop_front();
            if (chosen < of_sends) {
                send(k);
            } else {
                receive(k);
            }
            something_else();
        }
    }

    void something_else()
    {
        random_delay(random_);
        switch (random_() % 24) {
            case 0:
                if (may_block_ && collectives_done_ < plan_.blocking_collectives) blocking_collective();
                break;
            case 1:
                if (collectives_started_ < plan_.started_collectives) start_collective();
                break;
            case 2:
            case 3:
                test_one();
                break;
            case 4:
                test_some();
                break;
            case 5:
                post_to_cancel();
                break;
            case 6:
                cancel_one();
                break;
            case 7: {
                int flag = 0;
                MPI_Status status;
                const Group& group = groups_[random_() % groups_.size()];
                if (group.comm != MPI_COMM_NULL) {
                    require(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group.comm, &flag, &status), "MPI_Iprobe");
                }
                break;
            }
            default:
                break;
        }
    }

    void send(std::size_t k)
    {
        const PlannedMessage& m = plan_.messages[k];
        const MPI_Comm comm = groups_[static_cast<std::size_t>(m.group)].comm;
        auto memory = std::make_unique<Memory>(m.bytes, m.send_draw);
        memory->fill(plan_.key_of(k));
        void* const data = memory->data();
        const int count = memory->count();
        const MPI_Datatype type = memory->type();
        const std::uint64_t form = m.send_draw >> 32;
        if (plan_.order == Order::posted_first && form % 2 == 0) {
            using Blocking = decltype(&MPI_Send);
            static constexpr std::array<Blocking, 4> kCalls = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
            require(
                kCalls[static_cast<std::size_t>(m.mode)](data, count, type, m.destination, m.tag, comm), "MPI_Send");
            memory->spoil();
            return;
        }
        using Starting = decltype(&MPI_Isend);
        static constexpr std::array<Starting, 4> kCalls = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
        static constexpr std::array<Starting, 4> kInits = {
            MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
        MPI_Request request = MPI_REQUEST_NULL;
        const auto mode = static_cast<std::size_t>(m.mode);
        if (form % 5 == 1) {
            require(kInits[mode](data, count, type, m.destination, m.tag, comm, &request), "MPI_Send_init");
            require(MPI_Start(&request), "MPI_Start");
        } else {
            require(kCalls[mode](data, count, type, m.destination, m.tag, comm, &request), "MPI_Isend");
        }
        const bool detached = form % 7 == 3;
        if (detached) require(MPI_Request_free(&request), "MPI_Request_free");
        sends_.push_back({k, std::move(memory), detached});
        if (!detached) add_request(request, {Owner::Of::send, sends_.size() - 1});
    }

    void receive(std::size_t k)
    {
        const PlannedMessage& m = plan_.messages[k];
        const MPI_Comm comm = groups_[static_cast<std::size_t>(m.group)].comm;
        receives_.push_back({k, std::make_unique<Memory>(m.room, m.receive_draw)});
        Receive& receive = receives_.back();
        void* const data = receive.memory->data();
        const int count = receive.memory->count();
        const MPI_Datatype type = receive.memory->type();
        const int source = m.any_source ? MPI_ANY_SOURCE : m.source;
        const int tag = m.any_tag ? MPI_ANY_TAG : m.tag;
        const std::uint64_t form = m.receive_draw >> 32;
        if (plan_.order == Order::sent_first && form % 2 == 0) {
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status probed{};
            switch (form / 2 % 4) {
                case 0:
                    receive.code = MPI_Recv(data, count, type, source, tag, comm, &receive.status);
                    return;
                case 1:
                    require(MPI_Probe(source, tag, comm, &probed), "MPI_Probe");
                    receive.code =
                        MPI_Recv(data, count, type, probed.MPI_SOURCE, probed.MPI_TAG, comm, &receive.status);
                    break;
                case 2:
                    require(MPI_Mprobe(source, tag, comm, &message, &probed), "MPI_Mprobe");
                    something_else_but_collectives();
                    receive.code = MPI_Mrecv(data, count, type, &message, &receive.status);
                    break;
                default:
                    for (int flag = 0; flag == 0;) {
                        require(MPI_Improbe(source, tag, comm, &flag, &message, &probed), "MPI_Improbe");
                    }
                    receive.code = MPI_Mrecv(data, count, type, &message, &receive.status);
                    break;
            }
            EXPECT_EQ(probed.MPI_SOURCE, receive.status.MPI_SOURCE);
            EXPECT_EQ(probed.MPI_TAG, receive.status.MPI_TAG);
            int bytes = -1;
            MPI_Get_count(&probed, MPI_BYTE, &bytes);
            if (!m.any_source && !m.any_tag) {
                EXPECT_EQ(static_cast<std::size_t>(bytes), m.bytes);
            }
            return;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        if (form % 5 == 1) {
            require(MPI_Recv_init(data, count, type, source, tag, comm, &request), "MPI_Recv_init");
            require(MPI_Start(&request), "MPI_Start");
        } else {
            require(MPI_Irecv(data, count, type, source, tag, comm, &request), "MPI_Irecv");
        }
        add_request(request, {Owner::Of::receive, receives_.size() - 1});
    }

    void something_else_but_collectives()
    {
        random_delay(random_);
        if (random_() % 2 == 0) test_one();
    }

    void add_request(MPI_Request request, Owner owner)
    {
        requests_.push_back(request);
        owners_.push_back(owner);
    }

    // The request is complete: persistent ones are still there.
    void completed(std::size_t i, int code, const MPI_Status& status)
    {
        const Owner owner = owners_[i];
        if (owner.of == Owner::Of::receive) {
            receives_[owner.index].code = code;
            receives_[owner.index].status = status;
        } else {
            require(code, "completion");
        }
        if (owner.of == Owner::Of::send) sends_[owner.index].memory->spoil();
        if (owner.of == Owner::Of::collective) check_collective(collectives_[owner.index]);
        if (requests_[i] != MPI_REQUEST_NULL) require(MPI_Request_free(&requests_[i]), "MPI_Request_free");
        requests_[i] = requests_.back();
        owners_[i] = owners_.back();
        requests_.pop_back();
        owners_.pop_back();
    }

    void test_one()
    {
        if (requests_.empty()) return;
        const std::size_t i = random_() % requests_.size();
        int flag = 0;
        MPI_Status status{};
        const int code = MPI_Test(&requests_[i], &flag, &status);
        if (flag != 0) completed(i, code, status);
    }

    void test_some()
    {
        if (requests_.empty()) return;
        std::vector<int> indices(requests_.size());
        std::vector<MPI_Status> statuses(requests_.size());
        int done = 0;
        const int code =
            MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &done, indices.data(), statuses.data());
        completed_some(code, done, indices, statuses);
    }

    void completed_some(int code, int done, const std::vector<int>& indices, const std::vector<MPI_Status>& statuses)
    {
        std::vector<std::pair<int, int>> order;  // from the last on: completed() moves that behind
        for (int j = 0; j < done; ++j) order.emplace_back(indices[static_cast<std::size_t>(j)], j);
        std::sort(order.rbegin(), order.rend());
        for (const auto& [i, j] : order) {
            const MPI_Status& status = statuses[static_cast<std::size_t>(j)];
            completed(static_cast<std::size_t>(i), code == MPI_SUCCESS ? MPI_SUCCESS : status.MPI_ERROR, status);
        }
    }

    void post_to_cancel()
    {
        const Group& group = groups_[random_() % groups_.size()];
        if (group.comm == MPI_COMM_NULL) return;
        const bool any_source = random_() % 2 == 0;
        const int source = any_source ? MPI_ANY_SOURCE : static_cast<int>(random_() % group.members.size());
        Cancelled never{MPI_REQUEST_NULL, std::make_unique<Memory>(random_() % 2 == 0 ? 64 : 65536, random_())};
        require(MPI_Irecv(never.memory->data(), never.memory->count(), never.memory->type(), source, kNeverSent,
                    group.comm, &never.request),
            "MPI_Irecv");
        to_cancel_.push_back(std::move(never));
    }

    void cancel_one()
    {
        if (to_cancel_.empty()) return;
        std::swap(to_cancel_[random_() % to_cancel_.size()], to_cancel_.back());
        MPI_Status status{};
        int cancelled = 0;
        require(MPI_Cancel(&to_cancel_.back().request), "MPI_Cancel");
        if (random_() % 4 == 0) {
            require(MPI_Request_free(&to_cancel_.back().request), "MPI_Request_free");
        } else {
            require(MPI_Wait(&to_cancel_.back().request, &status), "MPI_Wait");
            MPI_Test_cancelled(&status, &cancelled);
            EXPECT_NE(cancelled, 0);
        }
        EXPECT_TRUE(to_cancel_.back().memory->holds(0, 0));
        to_cancel_.pop_back();
    }

    std::uint64_t draw_of(int number, int salt) const
    {
        return (plan_.key ^ static_cast<std::uint64_t>(number * 64 + salt)) * 0x9e3779b97f4a7c15u >> 7;
    }
    static std::int64_t value(int number, int rank, std::size_t i)
    {
        return (number + 3) * 1000003 + rank * 101 + static_cast<std::int64_t>(i) * 7;
    }
    std::size_t collective_length(int number) const
    {
        static constexpr std::array<std::size_t, 6> kLengths = {0, 1, 5, 600, 3000, 20000};
        return kLengths[draw_of(number, 1) % (ranks_ > 7 ? 5 : kLengths.size())];
    }
    void expect_all(const std::vector<std::int64_t>& found, std::size_t begin, std::size_t n, int number, int rank,
        const char* what) const
    {
        std::size_t i = 0;
        while (i < n && found[begin + i] == value(number, rank, i)) ++i;
        EXPECT_EQ(i, n) << what << " of rank " << rank;
    }
    void expect_sum(const std::vector<std::int64_t>& found, int number, const char* what) const
    {
        std::size_t i = 0;
        for (; i < found.size(); ++i) {
            std::int64_t sum = 0;
            for (int r = 0; r < ranks_; ++r) sum += value(number, r, i);
            if (found[i] != sum) break;
        }
        EXPECT_EQ(i, found.size()) << what;
    }
    std::vector<std::int64_t> contribution(int number, std::size_t n) const
    {
        std::vector<std::int64_t> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = value(number, me_, i);
        return values;
    }

    void blocking_collective()
    {
        const int number = collectives_done_++;
        const std::size_t n = collective_length(number);
        const int count = static_cast<int>(n);
        const int root = static_cast<int>(draw_of(number, 2) % static_cast<std::uint64_t>(ranks_));
        std::vector<std::int64_t> mine = contribution(number, n);
        std::vector<std::int64_t> result(n);
        switch (draw_of(number, 3) % 5) {
            case 0:
                require(MPI_Barrier(blocking_), "MPI_Barrier");
                break;
            case 1:
                require(MPI_Bcast(mine.data(), count, MPI_INT64_T, root, blocking_), "MPI_Bcast");
                expect_all(mine, 0, n, number, root, "MPI_Bcast");
                break;
            case 2:
                require(
                    MPI_Allreduce(mine.data(), result.data(), count, MPI_INT64_T, MPI_SUM, blocking_), "MPI_Allreduce");
                expect_sum(result, number, "MPI_Allreduce");
                break;
            case 3:
                require(
                    MPI_Reduce(mine.data(), result.data(), count, MPI_INT64_T, MPI_SUM, root, blocking_), "MPI_Reduce");
                if (me_ == root) expect_sum(result, number, "MPI_Reduce");
                break;
            default:
                result.resize(n * static_cast<std::size_t>(ranks_));
                require(MPI_Allgather(mine.data(), count, MPI_INT64_T, result.data(), count, MPI_INT64_T, blocking_),
                    "MPI_Allgather");
                for (int r = 0; r < ranks_; ++r) {
                    expect_all(result, static_cast<std::size_t>(r) * n, n, number, r, "MPI_Allgather");
                }
                break;
        }
    }

    void start_collective()
    {
        const int number = 1000 + collectives_started_++;
        const std::size_t n = collective_length(number);
        const int count = static_cast<int>(n);
        const int root = static_cast<int>(draw_of(number, 2) % static_cast<std::uint64_t>(ranks_));
        collectives_.push_back({static_cast<int>(draw_of(number, 3) % 4), number, contribution(number, n), {}});
        Collective& c = collectives_.back();
        MPI_Request request = MPI_REQUEST_NULL;
        switch (c.kind) {
            case 0:
                require(MPI_Ibarrier(started_comm_, &request), "MPI_Ibarrier");
                break;
            case 1: {
                // A type with gaps: every second number.
                c.out.resize(2 * n + 1, -1);
                for (std::size_t i = 0; i < n && me_ == root; ++i) c.out[2 * i] = c.in[i];
                MPI_Datatype type = MPI_DATATYPE_NULL;
                require(MPI_Type_vector(count, 1, 2, MPI_INT64_T, &type), "MPI_Type_vector");
                require(MPI_Type_commit(&type), "MPI_Type_commit");
                require(MPI_Ibcast(c.out.data(), 1, type, root, started_comm_, &request), "MPI_Ibcast");
                require(MPI_Type_free(&type), "MPI_Type_free");
                break;
            }
            case 2:
                c.out.resize(n);
                require(MPI_Iallreduce(c.in.data(), c.out.data(), count, MPI_INT64_T, MPI_SUM, started_comm_, &request),
                    "MPI_Iallreduce");
                break;
            default:
                c.out.resize(n * static_cast<std::size_t>(ranks_));
                require(MPI_Iallgather(
                            c.in.data(), count, MPI_INT64_T, c.out.data(), count, MPI_INT64_T, started_comm_, &request),
                    "MPI_Iallgather");
                break;
        }
        add_request(request, {Owner::Of::collective, collectives_.size() - 1});
    }

    void check_collective(const Collective& c) const
    {
        const std::size_t n = c.in.size();
        const int root = static_cast<int>(draw_of(c.number, 2) % static_cast<std::uint64_t>(ranks_));
        if (c.kind == 1) {
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i) {
                if (c.out[2 * i] != value(c.number, root, i) || c.out[2 * i + 1] != -1) ++wrong;
            }
            EXPECT_EQ(wrong, 0u) << "MPI_Ibcast of " << n;
        } else if (c.kind == 2) {
            expect_sum(c.out, c.number, "MPI_Iallreduce");
        } else if (c.kind == 3) {
            for (int r = 0; r < ranks_; ++r) {
                expect_all(c.out, static_cast<std::size_t>(r) * n, n, c.number, r, "MPI_Iallgather");
            }
        }
    }

    void finish()
    {
        while (!requests_.empty()) {
            const auto count = static_cast<int>(requests_.size());
            MPI_Status status{};
            int i = 0;
            switch (random_() % 6) {
                case 0: {
                    const std::size_t chosen = random_() % requests_.size();
                    const int code = MPI_Wait(&requests_[chosen], &status);
                    completed(chosen, code, status);
                    break;
                }
                case 1: {
                    std::vector<int> indices(requests_.size());
                    std::vector<MPI_Status> statuses(requests_.size());
                    const int code = MPI_Waitsome(count, requests_.data(), &i, indices.data(), statuses.data());
                    completed_some(code, i, indices, statuses);
                    break;
                }
                case 2: {
                    if (random_() % 4 != 0) break;
                    std::vector<int> indices(requests_.size());
                    std::vector<MPI_Status> statuses(requests_.size());
                    const int code = MPI_Waitall(count, requests_.data(), statuses.data());
                    for (int j = 0; j < count; ++j) indices[static_cast<std::size_t>(j)] = j;
                    completed_some(code, count, indices, statuses);
                    break;
                }
                case 3:
                    test_one();
                    break;
                case 4:
                    something_else();
                    break;
                default: {
                    const int code = MPI_Waitany(count, requests_.data(), &i, &status);
                    completed(static_cast<std::size_t>(i), code, status);
                    break;
                }
            }
        }
        while (!to_cancel_.empty()) cancel_one();
        check_receives();
        // A send whose request was freed is complete when its message has been received, which this barrier says of all.
        require(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    }

    // Which message each receive has got, in the order in which they were posted on a communicator.
    void check_receives()
    {
        // Where all were posted first, messages choose the receive; else the receive chooses the message. With one form on a communicator
        // that is the same.
        std::vector<bool> taken(plan_.messages.size());
        if (plan_.order == Order::posted_first) {
            std::vector<bool> got(receives_.size());
            for (std::size_t k = 0; k < plan_.messages.size(); ++k) {
                const PlannedMessage& m = plan_.messages[k];
                if (groups_[static_cast<std::size_t>(m.group)].rank_of(me_) != m.destination || m.any_source) continue;
                for (std::size_t r = 0; r < receives_.size(); ++r) {
                    const PlannedMessage& posted = plan_.messages[receives_[r].k];
                    if (got[r] || posted.group != m.group || posted.source != m.source || posted.any_source ||
                        !(posted.any_tag || posted.tag == m.tag)) {
                        continue;
                    }
                    got[r] = true;
                    taken[k] = true;
                    check_receive(receives_[r], k);
                    break;
                }
                EXPECT_TRUE(taken[k]) << "message " << k << " has no receive";
            }
            for (std::size_t r = 0; r < receives_.size(); ++r) {
                if (plan_.messages[receives_[r].k].any_source) choose(receives_[r], taken);
            }
        } else {
            for (const Receive& receive : receives_) choose(receive, taken);
        }
    }

    void choose(const Receive& receive, std::vector<bool>& taken)
    {
        const PlannedMessage& posted = plan_.messages[receive.k];
        const int source = posted.any_source ? receive.status.MPI_SOURCE : posted.source;
        for (std::size_t k = 0; k < plan_.messages.size(); ++k) {
            const PlannedMessage& m = plan_.messages[k];
            if (taken[k] || m.group != posted.group || m.destination != posted.destination || m.source != source ||
                !(posted.any_tag || posted.tag == m.tag)) {
                continue;
            }
            taken[k] = true;
            check_receive(receive, k);
            return;
        }
        ADD_FAILURE() << "receive " << receive.k << " got a message from rank " << receive.status.MPI_SOURCE
                      << " with tag " << receive.status.MPI_TAG << " that nobody has sent";
    }

    void check_receive(const Receive& receive, std::size_t k) const
    {
        const PlannedMessage& m = plan_.messages[k];
        const PlannedMessage& posted = plan_.messages[receive.k];
        const auto words = [&] {
            return "message " + std::to_string(k) + " of " + std::to_string(m.bytes) + " bytes, mode " +
                   std::to_string(static_cast<int>(m.mode)) + ", order " +
                   std::to_string(static_cast<int>(plan_.order)) + ", from " + std::to_string(m.source) + " to " +
                   std::to_string(m.destination) + " of group " + std::to_string(m.group) + ", tag " +
                   std::to_string(m.tag) + ", receive " + std::to_string(receive.k) +
                   (posted.any_source ? ", any source" : "") + (posted.any_tag ? ", any tag" : "");
        };
        EXPECT_EQ(receive.status.MPI_SOURCE, m.source) << words();
        EXPECT_EQ(receive.status.MPI_TAG, m.tag) << words();
        if (posted.room < m.bytes) {
            int error_class = MPI_SUCCESS;
            MPI_Error_class(receive.code, &error_class);
            EXPECT_EQ(error_class, MPI_ERR_TRUNCATE) << words();
            EXPECT_TRUE(receive.memory->has_gaps_untouched()) << words();
            return;
        }
        EXPECT_EQ(receive.code, MPI_SUCCESS) << words();
        int bytes = -1;
        MPI_Get_count(&receive.status, MPI_BYTE, &bytes);
        EXPECT_EQ(static_cast<std::size_t>(bytes), m.bytes) << words();
        EXPECT_TRUE(receive.memory->holds(plan_.key_of(k), m.bytes)) << words();
    }

    const Plan& plan_;
    const std::vector<Group>& groups_;
    MPI_Comm blocking_;
    MPI_Comm started_comm_;
    Random& random_;
    int me_ = 0;
    int ranks_ = 0;

    std::map<std::pair<int, int>, std::deque<std::size_t>> sends_to_do_;
    std::map<int, std::deque<std::size_t>> receives_to_do_;
    std::deque<Send> sends_;
    std::deque<Receive> receives_;
    std::deque<Collective> collectives_;
    std::vector<Cancelled> to_cancel_;
    std::vector<MPI_Request> requests_;
    std::vector<Owner> owners_;
    int collectives_done_ = 0;
    int collectives_started_ = 0;
    bool may_block_ = false;  // in a collective call: no rank waits for what this one does after it
};

// All ranks, in two communicators; a half of them; all in reverse order.
std::vector<Group> make_groups(int ranks, int me)
{
    std::vector<Group> groups(4);
    for (int r = 0; r < ranks; ++r) {
        groups[0].members.push_back(r);
        groups[1].members.push_back(r);
        groups[3].members.insert(groups[3].members.begin(), r);
        if (r % 2 == 0 || r == ranks - 1) groups[2].members.push_back(r);
    }
    require(MPI_Comm_dup(MPI_COMM_WORLD, &groups[0].comm), "MPI_Comm_dup");
    require(MPI_Comm_dup(MPI_COMM_WORLD, &groups[1].comm), "MPI_Comm_dup");
    const int color = groups[2].rank_of(me) >= 0 ? 0 : MPI_UNDEFINED;
    require(MPI_Comm_split(MPI_COMM_WORLD, color, me, &groups[2].comm), "MPI_Comm_split");
    require(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &groups[3].comm), "MPI_Comm_split");
    return groups;
}

void run_stress()
{
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) throw std::runtime_error("MPI_Init");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int me = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<unsigned char> attached(kBufferBytes);
    require(MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size())), "MPI_Buffer_attach");
    {
        std::vector<Group> groups = make_groups(ranks, me);
        MPI_Comm blocking = MPI_COMM_NULL;
        MPI_Comm started = MPI_COMM_NULL;
        require(MPI_Comm_dup(MPI_COMM_WORLD, &blocking), "MPI_Comm_dup");
        require(MPI_Comm_dup(MPI_COMM_WORLD, &started), "MPI_Comm_dup");

        Random shared(fmpl_test::seed() ^ static_cast<std::uint64_t>(ranks));
        Random own(fmpl_test::seed() * 31 + static_cast<std::uint64_t>(me));
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(stress_seconds());
        for (int round = 0;; ++round) {
            int go_on = std::chrono::steady_clock::now() < end && !::testing::Test::HasFailure() ? 1 : 0;
            require(MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
            if (go_on == 0) break;
            SCOPED_TRACE("round " + std::to_string(round) + ", rank " + std::to_string(me));
            const Plan plan = make_plan(shared, groups, ranks);
            Round(plan, groups, blocking, started, own).run();
        }
        MPI_Comm_free(&blocking);
        MPI_Comm_free(&started);
        for (Group& group : groups) {
            if (group.comm != MPI_COMM_NULL) MPI_Comm_free(&group.comm);
        }
    }
    void* detached = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&detached, &bytes);
    if (MPI_Finalize() != MPI_SUCCESS) throw std::runtime_error("MPI_Finalize");
}

using fmpl_test::RanksOptions;

FMPL_RANKS_TEST_WITH(EngineStress, RandomTraffic, RanksOptions{.ranks = {2, 3, 4, 7}})
{
    run_stress();
}

// More ranks than most machines that run this have processors.
FMPL_RANKS_TEST_WITH(EngineStress, RandomTrafficOfMany, RanksOptions{.ranks = {8, 16}, .threads = false})
{
    run_stress();
}

// Ranks that believe in a CPU for each, as jobs on larger machines have.
FMPL_RANKS_TEST_WITH(EngineStress, RandomTrafficOfRanksWithCpus,
    RanksOptions{.ranks = {3, 4, 7}, .environment = {{"FMPL_CPUS", "16"}, {"FMPL_SPIN_US", "3"}}})
{
    run_stress();
}

// All collective calls as schedules of messages; and hardly any message travels with its envelope.
FMPL_RANKS_TEST_WITH(EngineStress, SchedulesAndRendezvous,
    RanksOptions{.ranks = {2, 3, 4}, .environment = {{"FMPL_MPI_COLLECTIVES", "schedule"}, {"FMPL_MPI_EAGER", "256"}}})
{
    run_stress();
}

// Ranks that sleep as soon as there is nothing to do: what they are not woken for hangs.
FMPL_RANKS_TEST_WITH(EngineStress, SleepyRanks,
    RanksOptions{
        .ranks = {2, 4}, .environment = {{"FMPL_MPI_EAGER", "1024"}, {"FMPL_SPIN_US", "0"}, {"FMPL_YIELD_US", "0"}}})
{
    run_stress();
}

}  // namespace
