// Whether a job fits the memory that is left: admit_job with the answer of the system given.
#include "api/admission.hpp"
#include "error.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace fmpl;

constexpr int kRanks = 3;
constexpr std::size_t kLittle = 1000;

int looks = 0;
std::size_t plenty()
{
    ++looks;
    return std::size_t{1} << 40;
}
std::size_t little()
{
    ++looks;
    return kLittle;
}

class Admission : public ::testing::Test {
protected:
    void make(bool has_launcher)
    {
        JobSpec spec;
        spec.ranks = kRanks;
        spec.arena_bytes = std::size_t{2} << 20;
        spec.has_launcher = has_launcher;
        memory_ = std::make_shared<JobMemory>(JobMemory::create(spec));
        looks = 0;
    }
    std::uint32_t abort_state() const { return memory_->control().abort_state.load(); }
    // The error's code, FMPL_SUCCESS: none.
    int admit(int rank, std::size_t (*available)(), std::string* words = nullptr)
    {
        Node node(memory_, rank, true, WaitingPolicy{});
        try {
            admit_job(node, rank, false, available);
        } catch (const Error& error) {
            if (words != nullptr) *words = error.what();
            return error.code();
        }
        return FMPL_SUCCESS;
    }

    std::shared_ptr<JobMemory> memory_;
};

TEST_F(Admission, TheFirstRankToComeLooksForAll)
{
    make(false);
    for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(admit(rank, plenty), FMPL_SUCCESS);
    EXPECT_EQ(looks, 1);
    EXPECT_EQ(abort_state(), 0u);
}

TEST_F(Admission, AJobThatDoesNotFitEndsAndTheFirstRankSaysWhatItNeeds)
{
    make(false);
    std::string words;
    EXPECT_EQ(admit(1, little, &words), FMPL_ERR_MEMORY);
    EXPECT_NE(words.find("3 ranks need"), std::string::npos) << words;
    EXPECT_NE(words.find("start fewer ranks"), std::string::npos) << words;
    EXPECT_EQ(abort_state(), 2u);
    EXPECT_EQ(admit(0, little), FMPL_ERR_ABORTED);
    EXPECT_EQ(admit(2, plenty), FMPL_ERR_ABORTED) << "what is free afterwards changes nothing";
    EXPECT_EQ(looks, 1);
}

TEST_F(Admission, UnderALauncherThatSaysWhyAllRanksAreTold)
{
    make(true);
    EXPECT_EQ(admit(1, little), FMPL_ERR_ABORTED);
    const ControlBlock& control = memory_->control();
    EXPECT_EQ(control.abort_rank.load(), 1);
    EXPECT_NE(std::string(control.nodes[1].abort_reason).find("fmpl_init: not enough memory"), std::string::npos)
        << control.nodes[1].abort_reason;
}

TEST_F(Admission, WhatAJobNeedsGrowsByLittleMoreThanItsRanks)
{
    EXPECT_LT(bytes_of_rank(1024, false), 2 * bytes_of_rank(16, false));
    EXPECT_LT(bytes_of_rank(16, true), bytes_of_rank(16, false));
}

}  // namespace
