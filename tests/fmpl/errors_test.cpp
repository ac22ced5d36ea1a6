// Every error code with its words, and that an error leaves everything as it was.
#include "../support/guarded_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace fmpl_test;

constexpr int kCodes = FMPL_ERR_INTERNAL + 1;

TEST(Strerror, HasAPhraseOfItsOwnForEveryCode)
{
    std::set<std::string> phrases;
    for (int code = 0; code < kCodes; ++code) {
        const char* phrase = fmpl_strerror(code);
        ASSERT_NE(phrase, nullptr);
        EXPECT_GT(std::strlen(phrase), 3u);
        phrases.insert(phrase);
    }
    EXPECT_EQ(phrases.size(), static_cast<std::size_t>(kCodes));
    for (const int code : {-1, kCodes, 1000, 2147483647, -2147483647}) {
        ASSERT_NE(fmpl_strerror(code), nullptr);
        EXPECT_EQ(phrases.count(fmpl_strerror(code)), 0u) << code;
    }
}

FMPL_RANKS_TEST_AT(Errors, CallsBeforeInitAndAfterFinalizeAreRefused, ({1, 2}))
{
    const auto all_refused = [] {
        char byte = 0;
        int number = 0;
        fmpl_comm_t comm = FMPL_COMM_WORLD;
        const std::string me = "rank " + std::to_string(rank());
        constexpr int kCode = FMPL_ERR_NOT_INITIALIZED;
        EXPECT_FAILS(kCode, fmpl_send(&byte, 1, 0, 0, FMPL_COMM_WORLD), "fmpl_send", me, "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_recv(&byte, 1, 0, 0, FMPL_COMM_WORLD), "fmpl_recv", me, "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_isend(&byte, 1, 0, 0, FMPL_COMM_WORLD), "fmpl_isend", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_issend(&byte, 1, 0, 0, FMPL_COMM_WORLD), "send", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_irecv(&byte, 1, 0, 0, FMPL_COMM_WORLD), "fmpl_irecv", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_isend_wait(0, 0, FMPL_COMM_WORLD), "fmpl_isend_wait", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_irecv_wait(0, 0, FMPL_COMM_WORLD), "fmpl_irecv_wait", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_received(&number, nullptr, nullptr), "fmpl_received", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_sendbuf_set(nullptr, 0, 0), "fmpl_sendbuf_set", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_sendbuf_check(&number, &number), "fmpl_sendbuf_check", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_send_any(&byte, 1, 0, 0, FMPL_COMM_WORLD), "fmpl_send_any", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_recv_any(&byte, 1, 0, FMPL_COMM_WORLD), "fmpl_recv_any", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_comm_create(&comm, 1), "fmpl_comm_create", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_comm_free(&comm), "fmpl_comm_free", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_comm_rank(FMPL_COMM_WORLD, &number), "fmpl_comm_rank", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_comm_size(FMPL_COMM_WORLD, &number), "fmpl_comm_size", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_barrier(FMPL_COMM_WORLD), "fmpl_barrier", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_bcast(&byte, 1, 0, FMPL_COMM_WORLD), "fmpl_bcast", "fmpl_init");
        EXPECT_FAILS(
            kCode, fmpl_reduce(&number, 1, FMPL_SUM_INT32, 0, FMPL_COMM_WORLD, nullptr), "fmpl_reduce", "fmpl_init");
        EXPECT_FAILS(
            kCode, fmpl_allreduce(&number, 1, FMPL_SUM_INT32, FMPL_COMM_WORLD, nullptr), "fmpl_allreduce", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_comm_create_group(&comm, &number, 1), "fmpl_comm_create_group", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_comm_world_rank(FMPL_COMM_WORLD, 0, &number), "fmpl_comm_world_rank", "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_finalize(), "fmpl_finalize", "fmpl_init");
    };
    EXPECT_EQ(std::string(fmpl_error_message()), "");
    all_refused();
    REQUIRE_OK(fmpl_init(nullptr, nullptr, 2));
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_finalize());
    all_refused();
}

// After the errors of a test: the job still works.
void expect_job_works()
{
    const int to = (rank() + 1) % size();
    const int from = (rank() + size() - 1) % size();
    int in = -1;
    const int out = rank() + 10;
    REQUIRE_OK(fmpl_send(&out, sizeof out, to, 1, FMPL_COMM_WORLD));
    REQUIRE_OK(fmpl_recv(&in, sizeof in, from, 1, FMPL_COMM_WORLD));
    EXPECT_EQ(in, from + 10);
    REQUIRE_OK(fmpl_barrier(FMPL_COMM_WORLD));
}

FMPL_RANKS_TEST_AT(Errors, ARankOutsideTheCommunicatorIsNamed, ({1, 2, 3}))
{
    const fmpl::Session session(4);
    char byte = 'b';
    int number = 0;
    const std::string me = "rank " + std::to_string(rank());
    for (const int wrong : {-1, -2, size(), size() + 5, 2147483647}) {
        const std::string name = std::to_string(wrong);
        constexpr int kCode = FMPL_ERR_RANK;
        EXPECT_FAILS(kCode, fmpl_send(&byte, 1, wrong, 1, FMPL_COMM_WORLD), "fmpl_send", me, name);
        EXPECT_FAILS(kCode, fmpl_recv(&byte, 1, wrong, 1, FMPL_COMM_WORLD), "fmpl_recv", me, name);
        EXPECT_FAILS(kCode, fmpl_recv(&byte, 1, wrong, FMPL_ANY_TAG, FMPL_COMM_WORLD), "fmpl_recv", me, name);
        EXPECT_FAILS(kCode, fmpl_isend(&byte, 1, wrong, 1, FMPL_COMM_WORLD), "fmpl_isend", me, name);
        EXPECT_FAILS(kCode, fmpl_irecv(&byte, 1, wrong, 1, FMPL_COMM_WORLD), "fmpl_irecv", me, name);
        EXPECT_FAILS(kCode, fmpl_isend_wait(wrong, 1, FMPL_COMM_WORLD), "fmpl_isend_wait", me, name);
        EXPECT_FAILS(kCode, fmpl_irecv_wait(wrong, 1, FMPL_COMM_WORLD), "fmpl_irecv_wait", me, name);
        EXPECT_FAILS(kCode, fmpl_send_any(&byte, 1, wrong, 1, FMPL_COMM_WORLD), "fmpl_send_any", me, name);
        EXPECT_FAILS(kCode, fmpl_bcast(&byte, 1, wrong, FMPL_COMM_WORLD), "fmpl_bcast", me, name);
        EXPECT_FAILS(kCode, fmpl_comm_world_rank(FMPL_COMM_WORLD, wrong, &number), "fmpl_comm_world_rank", me, name);
    }
    EXPECT_EQ(byte, 'b');
    expect_job_works();
}

FMPL_RANKS_TEST_AT(Errors, AnIndexOutsideTheMatchingAreaIsNamedWithItsLimit, ({1, 2}))
{
    constexpr int kCount = 37;
    const fmpl::Session session(kCount);
    char byte = 'b';
    const std::string me = "rank " + std::to_string(rank());
    for (const int wrong : {-2, -100, kCount, kCount + 1, 2147483647}) {
        const std::string name = std::to_string(wrong);
        const std::string limit = std::to_string(kCount - 1);
        constexpr int kCode = FMPL_ERR_INDEX;
        EXPECT_FAILS(kCode, fmpl_send(&byte, 1, 0, wrong, FMPL_COMM_WORLD), "fmpl_send", me, name, limit, "fmpl_init");
        EXPECT_FAILS(kCode, fmpl_recv(&byte, 1, 0, wrong, FMPL_COMM_WORLD), "fmpl_recv", me, name, limit);
        EXPECT_FAILS(kCode, fmpl_isend(&byte, 1, 0, wrong, FMPL_COMM_WORLD), "fmpl_isend", me, name, limit);
        EXPECT_FAILS(kCode, fmpl_irecv(&byte, 1, 0, wrong, FMPL_COMM_WORLD), "fmpl_irecv", me, name, limit);
        EXPECT_FAILS(kCode, fmpl_isend_wait(0, wrong, FMPL_COMM_WORLD), "fmpl_isend_wait", me, name, limit);
        EXPECT_FAILS(kCode, fmpl_irecv_wait(0, wrong, FMPL_COMM_WORLD), "fmpl_irecv_wait", me, name, limit);
    }
    for (const int wrong : {-2, -100}) {
        EXPECT_FAILS(FMPL_ERR_INDEX, fmpl_send_any(&byte, 1, 0, wrong, FMPL_COMM_WORLD), "fmpl_send_any", me,
            std::to_string(wrong));
        EXPECT_FAILS(FMPL_ERR_INDEX, fmpl_recv_any(&byte, 1, wrong, FMPL_COMM_WORLD), "fmpl_recv_any", me,
            std::to_string(wrong));
    }
    EXPECT_EQ(byte, 'b');
    expect_job_works();
}

FMPL_RANKS_TEST_AT(Errors, ANullPointerIsNamed, ({1, 2}))
{
    const fmpl::Session session(4);
    const std::string me = "rank " + std::to_string(rank());
    constexpr int kCode = FMPL_ERR_ARGUMENT;
    EXPECT_FAILS(kCode, fmpl_send(nullptr, 8, 0, 1, FMPL_COMM_WORLD), "fmpl_send", me, "buf", "8");
    EXPECT_FAILS(kCode, fmpl_recv(nullptr, 8, 0, 1, FMPL_COMM_WORLD), "fmpl_recv", me, "buf", "8");
    EXPECT_FAILS(kCode, fmpl_isend(nullptr, 8, 0, 1, FMPL_COMM_WORLD), "fmpl_isend", me, "buf");
    EXPECT_FAILS(kCode, fmpl_irecv(nullptr, 8, 0, 1, FMPL_COMM_WORLD), "fmpl_irecv", me, "buf");
    EXPECT_FAILS(kCode, fmpl_send_any(nullptr, 8, 0, 1, FMPL_COMM_WORLD), "fmpl_send_any", me, "buf");
    EXPECT_FAILS(kCode, fmpl_recv_any(nullptr, 8, 1, FMPL_COMM_WORLD), "fmpl_recv_any", me, "buf");
    EXPECT_FAILS(kCode, fmpl_bcast(nullptr, 8, 0, FMPL_COMM_WORLD), "fmpl_bcast", me, "buf");
    EXPECT_FAILS(kCode, fmpl_comm_create(nullptr, 1), "fmpl_comm_create", me, "comm");
    EXPECT_FAILS(kCode, fmpl_comm_rank(FMPL_COMM_WORLD, nullptr), "fmpl_comm_rank", me, "rank");
    EXPECT_FAILS(kCode, fmpl_comm_size(FMPL_COMM_WORLD, nullptr), "fmpl_comm_size", me, "size");
    EXPECT_FAILS(kCode, fmpl_comm_world_rank(FMPL_COMM_WORLD, 0, nullptr), "fmpl_comm_world_rank", me);
    EXPECT_FAILS(kCode, fmpl_initialized(nullptr), "fmpl_initialized", me, "flag");
    expect_job_works();
}

// What a negative int becomes as a size_t, and the least size that is one.
FMPL_RANKS_TEST_AT(Errors, ASizeBeyondTheAddressSpaceIsRefusedByEveryCall, ({1, 2}))
{
    const fmpl::Session session(4);
    const std::string me = "rank " + std::to_string(rank());
    constexpr int kCode = FMPL_ERR_ARGUMENT;
    constexpr fmpl_comm_t kWorld = FMPL_COMM_WORLD;
    const auto expect_refused = [&](std::size_t wrong) {
        double x = 0, result = 0, work = 0;
        const std::string n = std::to_string(wrong);
        EXPECT_FAILS(kCode, fmpl_send(&x, wrong, 0, 1, kWorld), "fmpl_send", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_recv(&x, wrong, 0, 1, kWorld), "fmpl_recv", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_isend(&x, wrong, 0, 1, kWorld), "fmpl_isend", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_issend(&x, wrong, 0, 1, kWorld), "fmpl_isend", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_irecv(&x, wrong, 0, 1, kWorld), "fmpl_irecv", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_irecv_ahead(&x, wrong, 0, 1, kWorld), "fmpl_irecv", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_send_any(&x, wrong, 0, 1, kWorld), "fmpl_send_any", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_recv_any(&x, wrong, 1, kWorld), "fmpl_recv_any", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_sendbuf_set(&x, wrong, 0), "fmpl_sendbuf_set", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_bcast(&x, wrong, 0, kWorld), "fmpl_bcast", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_reduce(&x, wrong, FMPL_SUM_DOUBLE, 0, kWorld, &work), "fmpl_reduce", me, "count", n);
        EXPECT_FAILS(
            kCode, fmpl_allreduce(&x, wrong, FMPL_SUM_DOUBLE, kWorld, &work), "fmpl_allreduce", me, "count", n);
        EXPECT_FAILS(
            kCode, fmpl_reduce_to(&x, &result, wrong, FMPL_SUM_DOUBLE, 0, kWorld), "fmpl_reduce", me, "count", n);
        EXPECT_FAILS(
            kCode, fmpl_allreduce_to(&x, &result, wrong, FMPL_SUM_DOUBLE, kWorld), "fmpl_allreduce", me, "count", n);
        const fmpl_columns columns{wrong, 1, 0, 0, 0, PTRDIFF_MAX, 0};
        EXPECT_FAILS(kCode, fmpl_send_columns(&x, &columns, 0, 1, kWorld), "fmpl_send", me, "bytes");
        EXPECT_FAILS(kCode, fmpl_recv_columns(&x, &columns, 0, 1, kWorld), "fmpl_recv", me, "bytes");
        EXPECT_FAILS(kCode, fmpl_bcast_columns(&x, &columns, 0, kWorld), "fmpl_bcast", me, "bytes");
        int flag = -1;
        std::size_t copied = 0;
        EXPECT_FAILS(kCode, fmpl_private_read(0, 4096, &x, wrong, &flag), "fmpl_private_read", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_joint_open(0, 0, &x, wrong, 0, &flag), "fmpl_joint_open", me, "size", n);
        EXPECT_FAILS(
            kCode, fmpl_joint_take(0, 0, 4096, &x, wrong, 0, &copied, &flag), "fmpl_joint_take", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_joint_give(0, &work, &x, wrong, &flag), "fmpl_joint_give", me, "size", n);
        const char head[FMPL_ENVELOPE_HEAD] = {};
        EXPECT_FAILS(
            kCode, fmpl_envelope_send_body(0, head, &x, wrong, &flag), "fmpl_envelope_send_body", me, "size", n);
        EXPECT_FAILS(kCode, fmpl_envelope_lend(0, head, &x, wrong, 0, &flag), "fmpl_envelope_lend", me, "size", n);
        EXPECT_EQ(flag, -1);
        EXPECT_EQ(fmpl_malloc(wrong), nullptr);
        EXPECT_EQ(x + result + work, 0);
    };
    for (const std::size_t wrong : {SIZE_MAX, SIZE_MAX - 7, std::size_t{PTRDIFF_MAX} + 1}) expect_refused(wrong);
    // Products of count and element that come out small.
    double x = 0;
    for (const std::size_t wrong : {SIZE_MAX / 8 + 1, SIZE_MAX / 8 + 2, std::size_t{PTRDIFF_MAX} / 8 + 1}) {
        const std::string n = std::to_string(wrong);
        EXPECT_FAILS(kCode, fmpl_allreduce(&x, wrong, FMPL_SUM_DOUBLE, kWorld, nullptr), "fmpl_allreduce", me, n);
        EXPECT_THROW(fmpl::world.bcast(std::span<double>(&x, wrong), 0), fmpl::Error);
        EXPECT_THROW(fmpl::world.send(std::span<const double>(&x, wrong), 0, 1), fmpl::Error);
        EXPECT_THROW(fmpl::world.recv(std::span<double>(&x, wrong), 0, 1), fmpl::Error);
        EXPECT_THROW(fmpl::world.send_any(std::span<const double>(&x, wrong), 0, 1), fmpl::Error);
    }
    expect_job_works();
}

FMPL_RANKS_TEST_AT(Errors, TheWordsBelongToTheRankWhoseCallFailed, ({2, 4}))
{
    const fmpl::Session session(4);
    char byte = 0;
    if (rank() == 1) {
        EXPECT_FAILS(FMPL_ERR_RANK, fmpl_send(&byte, 1, 4711, 1, FMPL_COMM_WORLD), "4711", "rank 1");
        shared_words()[0] = 1;
        wait_until([] { return shared_words()[1] == 1; }, "the other rank");
        EXPECT_WORDS("4711");
    } else if (rank() == 0) {
        wait_until([] { return shared_words()[0] == 1; }, "the other rank");
        EXPECT_EQ(std::string(fmpl_error_message()), "");
        shared_words()[1] = 1;
    }
    expect_job_works();
}

FMPL_RANKS_TEST_AT(Errors, ExceptionsOfTheCppCallsCarryCodeAndWords, ({2}))
{
    const fmpl::Session session(4);
    const int value = 1;
    try {
        fmpl::world.send<int>({&value, 1}, 99, 1);
        ADD_FAILURE() << "no exception";
    } catch (const fmpl::Error& error) {
        EXPECT_EQ(error.code(), FMPL_ERR_RANK);
        EXPECT_NE(std::string(error.what()).find("99"), std::string::npos) << error.what();
    }
    expect_job_works();
}

// Bodies that the tests below start by name.

FMPL_RANKS_TEST_WITH(ErrorsSubject, FailsOnce, (RanksOptions{.ranks = {}}))
{
    const fmpl::Session session(4);
    EXPECT_EQ(fmpl_send(nullptr, 0, 4711, 0, FMPL_COMM_WORLD), FMPL_ERR_RANK);
}

FMPL_RANKS_TEST_WITH(ErrorsSubject, RankOneAborts, (RanksOptions{.ranks = {}}))
{
    const fmpl::Session session(4);
    if (rank() == 1) fmpl_abort(7, "the matrix is singular");
    fmpl_recv(nullptr, 0, 1, 0, FMPL_COMM_WORLD);
}

TEST(ErrorsPrinted, OneLineAnErrorUnlessTheyAreOnlyReturned)
{
    const ProgramResult printed = run_body_without_launcher("ErrorsSubject.FailsOnce", {{"FMPL_ERRORS", "print"}});
    EXPECT_EQ(printed.status, 0) << printed.output;
    EXPECT_NE(printed.output.find("4711"), std::string::npos) << printed.output;
    EXPECT_NE(printed.output.find("fmpl_send"), std::string::npos) << printed.output;
    EXPECT_EQ(std::count(printed.output.begin(), printed.output.end(), '\n'), 1) << printed.output;
    const ProgramResult returned = run_body_without_launcher("ErrorsSubject.FailsOnce", {{"FMPL_ERRORS", "return"}});
    EXPECT_EQ(returned.status, 0) << returned.output;
    EXPECT_EQ(returned.output, "");
}

TEST(ErrorsPrinted, AWrongValueInTheEnvironmentIsNamed)
{
    for (const char* variable :
        {"FMPL_PRIVATE_COPY", "FMPL_SPIN_US", "FMPL_ANSWER_NS", "FMPL_COLLECTIVES", "FMPL_ERRORS"}) {
        const ProgramResult result = run_body_without_launcher("ErrorsSubject.FailsOnce", {{variable, "perhaps"}});
        EXPECT_NE(result.status, 0) << variable;
        EXPECT_NE(result.output.find(std::string(variable) + "=perhaps"), std::string::npos) << result.output;
    }
}

// A receive whose wait the end of the job has broken off leaves its buffer posted. Nobody may write there any more.
TEST(Abort, LeavesTheBufferOfABrokenReceiveAlone)
{
    std::vector<char> in(kMiB, 'x');
    std::atomic<bool> broken = false;
    EXPECT_THROW(fmpl::run_ranks(3,
                     [&](int r) {
                         const fmpl::Session session(1);
                         if (r == 0) {
                             EXPECT_EQ(fmpl_recv(in.data(), in.size(), 1, 0, FMPL_COMM_WORLD), FMPL_ERR_ABORTED);
                             broken = true;
                         } else if (r == 1) {
                             const std::vector<char> out(kMiB, 'y');
                             while (!broken) std::this_thread::yield();
                             EXPECT_EQ(fmpl_send(out.data(), out.size(), 0, 0, FMPL_COMM_WORLD), FMPL_ERR_ABORTED);
                         } else {
                             std::this_thread::sleep_for(std::chrono::milliseconds(50));
                             throw std::runtime_error("this rank fails");
                         }
                     }),
        std::exception);
    EXPECT_EQ(std::count(in.begin(), in.end(), 'x'), static_cast<std::ptrdiff_t>(kMiB));
}

TEST(Abort, EndsTheJobWithItsCodeAndReason)
{
    if (modes_without_processes()) GTEST_SKIP() << "FMPL_TEST_MODES=threads";
    const ProgramResult result = run_body_under_launcher("ErrorsSubject.RankOneAborts", 3);
    EXPECT_EQ(result.status, 7) << result.output;
    EXPECT_NE(result.output.find("the matrix is singular"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("rank 1"), std::string::npos) << result.output;
}

}  // namespace
