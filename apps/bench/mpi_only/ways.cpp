#include "ways.hpp"

#include "../job.hpp"
#include "../message_memory.hpp"
#include "../report.hpp"
#include "manners.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

namespace fmpl::bench {
namespace {

using transport::check;

constexpr int kStream = 64;     // messages of a pass one way
constexpr int kExchanged = 16;  // and each way
constexpr int kWaysTag = 10;    // of message i of a pass: kWaysTag + i, where it matters

class Ways {
public:
    Ways(const Pairing& pairing, std::size_t bytes)
        : pairing_(pairing),
          bytes_(bytes),
          sent_(kStream * bytes),
          received_(kStream * bytes),
          attached_(kStream * (bytes + MPI_BSEND_OVERHEAD))
    {
        check(MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size())));
        for (int i = 0; i < kExchanged && pairing.takes_part(); ++i) {
            check(MPI_Recv_init(
                in(i), count(), MPI_BYTE, pairing_.peer(), kWaysTag, MPI_COMM_WORLD, &persistent_[place(i)]));
            check(MPI_Send_init(out(i), count(), MPI_BYTE, pairing_.peer(), kWaysTag, MPI_COMM_WORLD,
                &persistent_[place(i + kExchanged)]));
        }
    }
    ~Ways()
    {
        for (MPI_Request& request : persistent_) {
            if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
        }
        void* buffer = nullptr;
        int bytes = 0;
        MPI_Buffer_detach(&buffer, &bytes);
    }
    Ways(const Ways&) = delete;
    Ways& operator=(const Ways&) = delete;

    void probe()
    {
        stream(&MPI_Send, [&](int i) {
            MPI_Status status;
            check(MPI_Probe(pairing_.peer(), MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            receive_found(i, status);
        });
    }
    void iprobe()
    {
        stream(&MPI_Send, [&](int i) {
            MPI_Status status;
            int found = 0;
            while (found == 0) check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status));
            receive_found(i, status);
        });
    }
    void mprobe()
    {
        stream(&MPI_Send, [&](int i) {
            MPI_Message message = MPI_MESSAGE_NULL;
            check(MPI_Mprobe(pairing_.peer(), kWaysTag + i, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
            check(MPI_Mrecv(in(i), count(), MPI_BYTE, &message, MPI_STATUS_IGNORE));
        });
    }
    void synchronous()
    {
        stream(&MPI_Ssend, [&](int i) { receive(i); });
    }
    void buffered()
    {
        stream(&MPI_Bsend, [&](int i) { receive(i); });
    }

    void early()
    {
        isend_all(kExchanged);
        for (int i = 0; i < kExchanged; ++i) receive(i);
        wait(2 * kExchanged);
    }
    void reversed()
    {
        isend_all(kExchanged);
        for (int i = kExchanged; i-- > 0;) receive(i);
        wait(2 * kExchanged);
    }
    void anyone()
    {
        irecv_all(MPI_ANY_SOURCE);
        isend_all(kExchanged);
        for (int i = 0; i < 2 * kExchanged; ++i) {
            int index = 0;
            check(MPI_Waitany(2 * kExchanged, requests_.data(), &index, MPI_STATUS_IGNORE));
        }
    }
    void some()
    {
        irecv_all(pairing_.peer());
        isend_all(kExchanged);
        for (int left = 2 * kExchanged; left > 0;) {
            int done = 0;
            check(MPI_Waitsome(2 * kExchanged, requests_.data(), &done, indices_.data(), MPI_STATUSES_IGNORE));
            left -= done;
        }
    }
    void all()
    {
        irecv_all(pairing_.peer());
        isend_all(kExchanged);
        for (int done = 0; done == 0;) check(MPI_Testall(2 * kExchanged, requests_.data(), &done, MPI_STATUSES_IGNORE));
    }
    void persistent()
    {
        check(MPI_Startall(2 * kExchanged, persistent_.data()));
        check(MPI_Waitall(2 * kExchanged, persistent_.data(), MPI_STATUSES_IGNORE));
    }
    void replaced()
    {
        for (int i = 0; i < kExchanged; ++i) {
            check(MPI_Sendrecv_replace(in(i), count(), MPI_BYTE, pairing_.peer(), kWaysTag, pairing_.peer(), kWaysTag,
                MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    }

    // Whether the messages of a pass arrive as they were sent.
    bool arrives_by(void (Ways::*pass)(), bool one_way, int messages)
    {
        for (int i = 0; i < messages; ++i) {
            fill_pattern(out(i), bytes_, seed(i, true));
            fill_pattern(in(i), bytes_, seed(i, true));  // what is replaced is sent
        }
        (this->*pass)();
        bool right = true;
        for (int i = 0; i < messages && (!one_way || !pairing_.first()); ++i)
            right = right && has_pattern(in(i), bytes_, seed(i, false));
        return right;
    }

private:
    static std::size_t place(int i) { return static_cast<std::size_t>(i); }
    std::byte* out(int i) { return sent_.data() + place(i) * bytes_; }
    std::byte* in(int i) { return received_.data() + place(i) * bytes_; }
    int count() const { return static_cast<int>(bytes_); }
    std::uint64_t seed(int i, bool here) const { return 2 * place(i) + (pairing_.first() == here ? 0u : 1u); }

    template <class Send, class Receive>
    void stream(Send&& send, Receive&& receive)
    {
        for (int i = 0; i < kStream; ++i) {
            if (pairing_.first()) {
                check(send(out(i), count(), MPI_BYTE, pairing_.peer(), kWaysTag + i, MPI_COMM_WORLD));
            } else {
                receive(i);
            }
        }
        // So that what a buffered send needs is bounded.
        char answer = 0;
        if (pairing_.first()) {
            transport::recv(&answer, 1, pairing_.peer(), kWaysTag - 1);
        } else {
            transport::send(&answer, 1, pairing_.peer(), kWaysTag - 1);
        }
    }
    void receive(int i)
    {
        check(MPI_Recv(in(i), count(), MPI_BYTE, pairing_.peer(), kWaysTag + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    void receive_found(int i, const MPI_Status& status)
    {
        int there = 0;
        check(MPI_Get_count(&status, MPI_BYTE, &there));
        check(MPI_Recv(in(i), there, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    // The last `messages` of the requests.
    void isend_all(int messages)
    {
        for (int i = 0; i < messages; ++i) {
            check(MPI_Isend(out(i), count(), MPI_BYTE, pairing_.peer(), kWaysTag + i, MPI_COMM_WORLD,
                &requests_[place(messages + i)]));
        }
    }
    // The first ones.
    void irecv_all(int source)
    {
        for (int i = 0; i < kExchanged; ++i)
            check(MPI_Irecv(in(i), count(), MPI_BYTE, source, kWaysTag + i, MPI_COMM_WORLD, &requests_[place(i)]));
    }
    void wait(int requests) { check(MPI_Waitall(requests, requests_.data(), MPI_STATUSES_IGNORE)); }

    using Requests = std::array<MPI_Request, 2 * kExchanged>;
    static Requests none()
    {
        Requests requests;
        requests.fill(MPI_REQUEST_NULL);
        return requests;
    }

    const Pairing& pairing_;
    std::size_t bytes_;
    std::vector<std::byte> sent_, received_, attached_;
    Requests requests_ = none();
    Requests persistent_ = none();
    std::array<int, 2 * kExchanged> indices_{};
};

constexpr Manner<Ways> kManners[] = {{"probe", &Ways::probe, kStream}, {"iprobe", &Ways::iprobe, kStream},
    {"mprobe", &Ways::mprobe, kStream}, {"synchronous", &Ways::synchronous, kStream},
    {"buffered", &Ways::buffered, kStream}, {"early", &Ways::early, kExchanged},
    {"reversed", &Ways::reversed, kExchanged}, {"anyone", &Ways::anyone, kExchanged}, {"some", &Ways::some, kExchanged},
    {"all", &Ways::all, kExchanged}, {"persistent", &Ways::persistent, kExchanged},
    {"replaced", &Ways::replaced, kExchanged}};

void settle_ways(Options& options)
{
    constexpr std::size_t kMost = 16 * kMiB;  // all of a pass have room in the buffer of buffered sends
    for (const std::size_t bytes : options.sizes) {
        if (bytes > kMost) refuse(fmt::format("--sizes: {} is more than {} bytes", bytes, kMost));
    }
}

void run_ways(const Options& options, const Job& job, Report& report)
{
    const Pairing pairing(job, options.pairs);
    report.line(fmt::format("messages between {}, one by one", pairing.words()));
    manner_columns(report);
    for (const std::size_t bytes : options.sizes) {
        Ways ways(pairing, bytes);
        const int reps = reps_for(bytes * kStream, 16 * kMiB, 4, 300);
        for (const Manner<Ways>& manner : kManners) {
            const bool right =
                !pairing.takes_part() || ways.arrives_by(manner.pass, manner.messages == kStream, manner.messages);
            all_must_be_right(right, fmt::format("ways: {}: a message came wrong", manner.name).c_str());
            measure_manner(options, pairing, report, ways, manner, bytes, reps);
        }
    }
}

}  // namespace

Benchmark ways_benchmark()
{
    return {"ways", "Messages that are probed for, come before they are asked for, or are waited for together",
        {8, kKiB}, 1, true, false, false, run_ways, {}, settle_ways, 2, MemoryKind::heap};
}

}  // namespace fmpl::bench
