// Random MPI traffic of every kind at once, checked byte by byte.
//
// A round is a list of messages that every rank derives from the seed: random ends (a rank to itself too),
// communicator, tag, size, mode, types in one piece or strided, in remote-DMA memory or not. Every rank sends and
// receives its part, the messages of one source, destination, communicator and tag in the order of the list, the
// others in any order, with delays, tests, cancelled receives, and blocking and nonblocking collective calls on other
// communicators in between. What keeps that free of deadlock:
//
//   mixed          nothing but nonblocking calls; all is completed in the end
//   posted first   all receives are posted, then the sends may block and be of the ready mode
//   sent first     all sends are started, then the receives may block, behind probes or not
//
// In a round, the receives of a rank on a communicator have one form: exact, by any source, by any tag, or by any of
// both; where they are posted first, exact and by any tag are mixed as well. So it is known of each which message it
// gets (matching_oracle.hpp).
//
// FMPL_TEST_SEED repeats a run; FMPL_STRESS_SECONDS (default 1) is the length of one at each rank count.
#include "mpi_shim/messenger/checked_collectives.hpp"
#include "mpi_shim/messenger/matching_oracle.hpp"
#include "mpi_shim/p2p/require.hpp"
#include "mpi_shim/p2p/strided_memory.hpp"
#include "mpi_shim/messenger/traffic_plan.hpp"
#include "support/ranks_test.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mpi_test;
using fmpl_test::random_delay;
using fmpl_test::stress_seconds;

// One rank's part in one round.
class Round {
public:
    Round(const Plan& plan, const std::vector<Group>& groups, MPI_Comm blocking, MPI_Comm started, Random& random)
        : plan_(plan),
          groups_(groups),
          collectives_(plan.key, blocking, started),
          random_(random)
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &me_);
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
        std::unique_ptr<StridedMemory> memory;
        bool detached = false;
    };
    struct Receive {
        std::size_t k;
        std::unique_ptr<StridedMemory> memory;
        MPI_Status status{};
        int code = MPI_SUCCESS;
        std::vector<unsigned char> other{};
    };
    struct Cancelled {
        MPI_Request request;
        std::unique_ptr<StridedMemory> memory;
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
        auto memory = std::make_unique<StridedMemory>(m.bytes, m.send_draw);
        memory->fill(plan_.pattern_of(k));
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
        receives_.push_back({k, std::make_unique<StridedMemory>(m.room, m.receive_draw)});
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
        if (owner.of == Owner::Of::collective) collectives_.check(owner.index);
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
        Cancelled never{MPI_REQUEST_NULL, std::make_unique<StridedMemory>(random_() % 2 == 0 ? 64 : 65536, random_())};
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

    void blocking_collective() { collectives_.call(collectives_done_++); }

    void start_collective()
    {
        const MPI_Request request = collectives_.start(1000 + collectives_started_++);
        add_request(request, {Owner::Of::collective, collectives_.started() - 1});
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
        // A send whose request was freed is complete when its message has been received, which this barrier says of
        // all.
        require(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    }

    // Each receive has got the message that is its own by the rules of matching, among those of its status's source.
    void check_receives() const
    {
        std::vector<MatchKey> messages;
        std::vector<MatchKey> receives;
        for (std::size_t k = 0; k < plan_.messages.size(); ++k) messages.push_back(plan_.key_of_message(k));
        for (const Receive& receive : receives_) {
            receives.push_back(plan_.key_of_receive(receive.k));
            if (receives.back().source == kAny) receives.back().source = receive.status.MPI_SOURCE;
        }
        const Matches matches = plan_.order == Order::posted_first ? messages_choose(receives, messages)
                                                                   : receives_choose(receives, messages);
        for (std::size_t r = 0; r < receives.size(); ++r) {
            if (matches[r]) {
                check_receive(receives_[r], *matches[r]);
            } else {
                ADD_FAILURE() << "receive " << receives_[r].k << " got a message from rank "
                              << receives_[r].status.MPI_SOURCE << " with tag " << receives_[r].status.MPI_TAG
                              << " that nobody has sent";
            }
        }
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
        EXPECT_TRUE(receive.memory->holds(plan_.pattern_of(k), m.bytes)) << words();
    }

    const Plan& plan_;
    const std::vector<Group>& groups_;
    CheckedCollectives collectives_;
    Random& random_;
    int me_ = 0;

    std::map<std::pair<int, int>, std::deque<std::size_t>> sends_to_do_;
    std::map<int, std::deque<std::size_t>> receives_to_do_;
    std::deque<Send> sends_;
    std::deque<Receive> receives_;
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

FMPL_RANKS_TEST_WITH(MessengerStress, RandomTraffic, RanksOptions{.ranks = {2, 3, 4, 7}})
{
    run_stress();
}

// More ranks than most machines that run this have processors.
FMPL_RANKS_TEST_WITH(MessengerStress, RandomTrafficOfMany, RanksOptions{.ranks = {8, 16}, .threads = false})
{
    run_stress();
}

// Ranks that believe in a CPU for each, as jobs on larger machines have.
FMPL_RANKS_TEST_WITH(MessengerStress, RandomTrafficOfRanksWithCpus,
    RanksOptions{.ranks = {3, 4, 7}, .environment = {{"FMPL_CPUS", "16"}, {"FMPL_SPIN_US", "3"}}})
{
    run_stress();
}

// All collective calls as schedules of messages; and hardly any message travels with its envelope.
FMPL_RANKS_TEST_WITH(MessengerStress, SchedulesAndRendezvous,
    RanksOptions{.ranks = {2, 3, 4}, .environment = {{"FMPL_MPI_COLLECTIVES", "schedule"}, {"FMPL_MPI_EAGER", "256"}}})
{
    run_stress();
}

// Ranks that sleep as soon as there is nothing to do: what they are not woken for hangs.
FMPL_RANKS_TEST_WITH(MessengerStress, SleepyRanks,
    RanksOptions{
        .ranks = {2, 4}, .environment = {{"FMPL_MPI_EAGER", "1024"}, {"FMPL_SPIN_US", "0"}, {"FMPL_YIELD_US", "0"}}})
{
    run_stress();
}

}  // namespace
