// What another process has written is checked before it is used: an envelope that tells of another length than its body
// has is an error of the call that takes it.
#include "mpi_shim/p2p/job.hpp"
#include "p2p/envelope.hpp"

#include <fmpl/envelopes.h>
#include <mpi.h>

#include <array>

namespace {

using fmpl::mpi::Envelope;
using fmpl::mpi::EnvelopeKind;
using mpi_test::Job;

constexpr std::size_t kBodyBytes = 100;
constexpr std::uint64_t kToldBytes = 1 << 20;

void send_forged(EnvelopeKind kind)
{
    Envelope envelope{};
    envelope.kind = kind;
    envelope.bytes = kToldBytes;
    const std::array<char, kBodyBytes> body{};
    int sent = 0;
    ASSERT_EQ(fmpl_envelope_send_body(1, &envelope, body.data(), body.size(), &sent), FMPL_SUCCESS);
    ASSERT_EQ(sent, 1);
}

int class_of(int code)
{
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
}

FMPL_RANKS_TEST_AT(ForgedEnvelopes, OneThatTellsOfMoreThanItsBodyIsAnError, ({2}))
{
    const Job job;
    for (const EnvelopeKind kind : {EnvelopeKind::eager, EnvelopeKind::synchronous, EnvelopeKind::piece}) {
        MPI_Barrier(MPI_COMM_WORLD);  // a receive that has its message may look at what comes after it
        if (job.rank == 0) {
            send_forged(kind);
            MPI_Ssend(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
            continue;
        }
        // Whether it is looked for by a call that waits for this message alone, or for others too.
        int number = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        if (kind == EnvelopeKind::synchronous) MPI_Irecv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        const int code = MPI_Recv(&number, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(class_of(code), MPI_ERR_INTERN);
        EXPECT_EQ(MPI_Recv(&number, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (request == MPI_REQUEST_NULL) continue;
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

}  // namespace
