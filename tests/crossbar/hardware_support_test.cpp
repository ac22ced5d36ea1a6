// Which hardware forms of the collectives a machine profile grants to a set of nodes, and the colours of its barriers.
#include "crossbar/crossbar.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace fmpl;

const std::vector<int> kRectangle = {0, 1, 4, 5};
const std::vector<int> kNoRectangle = {0, 1, 4};
const std::vector<int> kAll = {0, 1, 2, 3, 4, 5, 6, 7};

JobSpec spec_4x2(Profile profile)
{
    JobSpec spec;
    spec.ranks = 8;
    spec.arena_bytes = std::size_t{2} << 20;
    spec.shape[0] = 4;
    spec.shape[1] = 2;
    spec.profile = profile;
    return spec;
}

std::shared_ptr<JobMemory> make(const JobSpec& spec)
{
    return std::make_shared<JobMemory>(JobMemory::create(spec));
}

HardwareSupport support_of(const JobSpec& spec, const std::vector<int>& nodes)
{
    return Crossbar(make(spec), 0).hardware_support(nodes);
}

bool nothing(const HardwareSupport& support)
{
    return !support.barrier && !support.broadcast && !support.reduce && !support.any_source_buffer;
}

TEST(HardwareSupport, TheHostProfileGrantsEverythingToAnyNodes)
{
    for (const auto& nodes : {kRectangle, kNoRectangle, kAll}) {
        const HardwareSupport support = support_of(spec_4x2(Profile::host), nodes);
        EXPECT_TRUE(support.barrier);
        EXPECT_TRUE(support.broadcast);
        EXPECT_TRUE(support.reduce);
        EXPECT_TRUE(support.any_source_buffer);
        EXPECT_FALSE(support.serialized);
        EXPECT_STREQ(support.reason, "");
    }
}

TEST(HardwareSupport, TheSr8000GrantsBarrierAndBroadcastToARectangle)
{
    for (const auto& nodes : {kRectangle, kAll, std::vector<int>{6}}) {
        const HardwareSupport support = support_of(spec_4x2(Profile::sr8000), nodes);
        EXPECT_TRUE(support.barrier);
        EXPECT_TRUE(support.broadcast);
        EXPECT_FALSE(support.reduce);
        EXPECT_FALSE(support.any_source_buffer);
        EXPECT_TRUE(support.serialized);
        EXPECT_STRNE(support.reason, "");
    }
}

TEST(HardwareSupport, TheSr8000GrantsNothingToOtherNodes)
{
    const HardwareSupport support = support_of(spec_4x2(Profile::sr8000), kNoRectangle);
    EXPECT_TRUE(nothing(support));
    EXPECT_NE(std::strstr(support.reason, "rectangle"), nullptr) << support.reason;
}

TEST(HardwareSupport, TheSr8000NeedsAPartitionThatIsExclusiveAndGlobal)
{
    for (const bool exclusive : {false, true}) {
        for (const bool global : {false, true}) {
            JobSpec spec = spec_4x2(Profile::sr8000);
            spec.partition_exclusive = exclusive;
            spec.partition_global = global;
            const HardwareSupport support = support_of(spec, kRectangle);
            EXPECT_EQ(support.barrier, exclusive && global);
            EXPECT_EQ(support.broadcast, exclusive && global);
            if (!exclusive || !global) {
                EXPECT_TRUE(nothing(support));
                EXPECT_NE(std::strstr(support.reason, "partition"), nullptr) << support.reason;
            }
        }
    }
}

TEST(HardwareSupport, TheHostProfileHasNoPartitions)
{
    JobSpec spec = spec_4x2(Profile::host);
    spec.partition_exclusive = spec.partition_global = false;
    EXPECT_TRUE(support_of(spec, kRectangle).barrier);
}

TEST(HardwareSupport, AnEngineThatMapsNothingHasNoHardwareForms)
{
    for (const Profile profile : {Profile::host, Profile::sr8000}) {
        JobSpec spec = spec_4x2(profile);
        spec.engine = EngineKind::unmapped;
        const HardwareSupport support = support_of(spec, kRectangle);
        EXPECT_TRUE(nothing(support));
        EXPECT_STRNE(support.reason, "");
    }
}

TEST(BarrierColours, EightAreDistinctAndTheNinthIsRefused)
{
    const auto memory = make(spec_4x2(Profile::host));
    const Crossbar crossbars[] = {Crossbar(memory, 0), Crossbar(memory, 5)};
    std::set<int> colours;
    for (int i = 0; i < kBarrierColours; ++i) {
        const int colour = crossbars[i % 2].allocate_colour();
        EXPECT_GE(colour, 0);
        EXPECT_LT(colour, kBarrierColours);
        colours.insert(colour);
    }
    EXPECT_EQ(colours.size(), 8u);
    EXPECT_EQ(crossbars[0].allocate_colour(), -1);
    EXPECT_EQ(crossbars[1].allocate_colour(), -1);
}

TEST(BarrierColours, AFreedOneIsGivenAgain)
{
    const auto memory = make(spec_4x2(Profile::host));
    const Crossbar first(memory, 0), second(memory, 1);
    for (int i = 0; i < kBarrierColours; ++i) first.allocate_colour();
    for (const int colour : {3, 0, 7}) {
        second.free_colour(colour);
        EXPECT_EQ(first.allocate_colour(), colour);
        EXPECT_EQ(first.allocate_colour(), -1);
    }
    for (int colour = 0; colour < kBarrierColours; ++colour) first.free_colour(colour);
    std::set<int> again;
    for (int i = 0; i < kBarrierColours; ++i) again.insert(second.allocate_colour());
    EXPECT_EQ(again, (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
