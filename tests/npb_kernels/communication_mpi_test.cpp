// The kernels' communication over an MPI: each rank is a process of the job that npb_test.py starts. Rank 0 prints
// the seed, which FMPL_TEST_SEED gives again.
#include "communication_cases.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>

namespace {

// One case, with the job that main has joined.
class CommunicationCase : public ::testing::Test {
public:
    CommunicationCase(const npb_test::Case& checked, fmpl::npb::Communication& communication, std::uint64_t seed)
        : case_(checked),
          communication_(communication),
          seed_(seed)
    {
    }

private:
    void TestBody() override { case_.run(communication_, seed_); }

    const npb_test::Case& case_;
    fmpl::npb::Communication& communication_;
    std::uint64_t seed_;
};

std::uint64_t common_seed(fmpl::npb::Communication& communication)
{
    const char* const given = std::getenv("FMPL_TEST_SEED");
    std::uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device{}();
    communication.world().broadcast(std::as_writable_bytes(std::span(&seed, 1)), 0);
    return seed;
}

}  // namespace

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    const auto communication = fmpl::npb::Communication::join();
    const std::uint64_t seed = common_seed(*communication);
    if (communication->rank() == 0) std::printf("FMPL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    for (const npb_test::Case& checked : npb_test::kCases) {
        ::testing::RegisterTest("NpbCommunication", checked.name, nullptr, nullptr, __FILE__, __LINE__,
            [&]() -> ::testing::Test* { return new CommunicationCase(checked, *communication, seed); });
    }
    return RUN_ALL_TESTS();
}
