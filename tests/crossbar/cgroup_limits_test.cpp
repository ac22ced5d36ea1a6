// The limits of control groups, read from folders that look like a system with them.
#include "crossbar/cgroup_limits.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace {

using fmpl::cgroup_limits;

constexpr std::size_t kNoMemoryLimit = std::numeric_limits<std::size_t>::max();
constexpr double kNoCpuLimit = std::numeric_limits<double>::infinity();

const std::string kUnifiedMount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

class CgroupLimits : public ::testing::Test {
protected:
    CgroupLimits()
    {
        std::string name = ::testing::TempDir() + "fmpl-cgroups-XXXXXX";
        if (mkdtemp(name.data()) != nullptr) root_ = name;
        EXPECT_FALSE(root_.empty());
    }
    ~CgroupLimits() override
    {
        std::error_code ignored;
        if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
    }

    void write(const std::string& path, const std::string& text) const
    {
        const std::filesystem::path file = root_ + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    // A process in the group `group` of the one hierarchy of version 2.
    void unified(const std::string& group) const
    {
        write("/proc/self/cgroup", "0::" + group + "\n");
        write("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + kUnifiedMount);
    }
    // A process in `group` of the memory and cpu hierarchies of version 1, of which `visible` and below is mounted.
    void version1(const std::string& group, const std::string& visible) const
    {
        write("/proc/self/cgroup", "5:memory:" + group + "\n4:cpu,cpuacct:" + group + "\n1:name=systemd:/elsewhere\n");
        write("/proc/self/mountinfo", "36 25 0:31 " + visible +
                                          " /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n37 25 0:32 " +
                                          visible + " /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n" +
                                          "38 25 0:33 / /sys/fs/cgroup/systemd ro - cgroup cgroup rw,name=systemd\n");
    }
    std::size_t memory_left() const { return cgroup_limits(root_).memory_left; }
    double cpus() const { return cgroup_limits(root_).cpus; }

    std::string root_;
};

TEST_F(CgroupLimits, ASystemWithoutThemHasNoLimits)
{
    EXPECT_EQ(memory_left(), kNoMemoryLimit);
    EXPECT_EQ(cpus(), kNoCpuLimit);
    write("/proc/self/cgroup", "nonsense\n\n::\n0:\n");
    write("/proc/self/mountinfo", "\nnonsense\n - cgroup2\n1 2 3 - cgroup2 cgroup2 rw\n");
    EXPECT_EQ(memory_left(), kNoMemoryLimit);
    EXPECT_EQ(cpus(), kNoCpuLimit);
}

TEST_F(CgroupLimits, Version2SubtractsWhatIsInUseButNotItsIdleCache)
{
    unified("/job");
    write("/sys/fs/cgroup/job/memory.max", "1000000\n");
    write("/sys/fs/cgroup/job/memory.current", "300000\n");
    EXPECT_EQ(memory_left(), 700000u);
    write("/sys/fs/cgroup/job/memory.stat", "anon 5000\nfile 60000\ninactive_file 50000\nactive_file 10000\n");
    EXPECT_EQ(memory_left(), 750000u);
    EXPECT_EQ(cpus(), kNoCpuLimit);
}

TEST_F(CgroupLimits, Version2QuotaIsInCpus)
{
    unified("/job");
    write("/sys/fs/cgroup/job/cpu.max", "150000 100000\n");
    EXPECT_DOUBLE_EQ(cpus(), 1.5);
    EXPECT_EQ(memory_left(), kNoMemoryLimit);
}

TEST_F(CgroupLimits, MaxIsNoLimit)
{
    unified("/job");
    write("/sys/fs/cgroup/job/memory.max", "max\n");
    write("/sys/fs/cgroup/job/memory.current", "300000\n");
    write("/sys/fs/cgroup/job/cpu.max", "max 100000\n");
    EXPECT_EQ(memory_left(), kNoMemoryLimit);
    EXPECT_EQ(cpus(), kNoCpuLimit);
}

TEST_F(CgroupLimits, TheTightestAncestorCounts)
{
    unified("/user/session/job");
    write("/sys/fs/cgroup/user/session/job/memory.max", "9000000\n");
    write("/sys/fs/cgroup/user/session/job/memory.current", "1000\n");
    write("/sys/fs/cgroup/user/session/job/cpu.max", "max 100000\n");
    write("/sys/fs/cgroup/user/session/cpu.max", "300000 100000\n");
    write("/sys/fs/cgroup/user/memory.max", "5000000\n");
    write("/sys/fs/cgroup/user/memory.current", "4000000\n");
    write("/sys/fs/cgroup/user/cpu.max", "800000 100000\n");
    EXPECT_EQ(memory_left(), 1000000u);
    EXPECT_DOUBLE_EQ(cpus(), 3.0);
    write("/sys/fs/cgroup/memory.max", "700000\n");  // a container sees its own group as the root
    write("/sys/fs/cgroup/memory.current", "600000\n");
    write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    EXPECT_EQ(memory_left(), 100000u);
    EXPECT_DOUBLE_EQ(cpus(), 0.5);
}

TEST_F(CgroupLimits, AGroupBesideThisOneDoesNotCount)
{
    unified("/job");
    write("/sys/fs/cgroup/other/memory.max", "10\n");
    write("/sys/fs/cgroup/other/memory.current", "1\n");
    write("/sys/fs/cgroup/job/inner/cpu.max", "1000 100000\n");
    EXPECT_EQ(memory_left(), kNoMemoryLimit);
    EXPECT_EQ(cpus(), kNoCpuLimit);
}

TEST_F(CgroupLimits, AGroupAboveItsLimitHasNothingLeft)
{
    unified("/job");
    write("/sys/fs/cgroup/job/memory.max", "1000\n");
    write("/sys/fs/cgroup/job/memory.current", "2000\n");
    EXPECT_EQ(memory_left(), 0u);
    write("/sys/fs/cgroup/job/memory.stat", "inactive_file 5000\n");  // never more than the limit itself
    EXPECT_EQ(memory_left(), 1000u);
}

TEST_F(CgroupLimits, AnUnreadableFileIsNoLimit)
{
    unified("/job");
    write("/sys/fs/cgroup/job/memory.max", "1000\n");  // without memory.current
    write("/sys/fs/cgroup/job/cpu.max", "\n");
    EXPECT_EQ(memory_left(), kNoMemoryLimit);
    EXPECT_EQ(cpus(), kNoCpuLimit);
    write("/sys/fs/cgroup/job/cpu.max", "100000 0\n");
    EXPECT_EQ(cpus(), kNoCpuLimit);
}

TEST_F(CgroupLimits, NamesMayHoldColonsAndBlanks)
{
    write("/proc/self/cgroup", "0::/a:b\n");
    write("/proc/self/mountinfo", "30 23 0:26 / /sys/my\\040groups rw - cgroup2 none rw\n");
    write("/sys/my groups/a:b/cpu.max", "200000 100000\n");
    EXPECT_DOUBLE_EQ(cpus(), 2.0);
}

TEST_F(CgroupLimits, Version1ReadsBothHierarchies)
{
    version1("/job", "/");
    write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000000\n");
    write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "400000\n");
    write("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 7\ntotal_inactive_file 100000\n");
    write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
    write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(memory_left(), 700000u);
    EXPECT_DOUBLE_EQ(cpus(), 2.5);
}

TEST_F(CgroupLimits, Version1AncestorsCount)
{
    version1("/user/job", "/");
    write("/sys/fs/cgroup/memory/user/job/memory.limit_in_bytes", "9223372036854771712\n");  // its word for none
    write("/sys/fs/cgroup/memory/user/job/memory.usage_in_bytes", "400000\n");
    write("/sys/fs/cgroup/cpu,cpuacct/user/job/cpu.cfs_quota_us", "-1\n");
    write("/sys/fs/cgroup/cpu,cpuacct/user/job/cpu.cfs_period_us", "100000\n");
    EXPECT_GT(memory_left(), std::size_t{1} << 62);
    EXPECT_EQ(cpus(), kNoCpuLimit);
    write("/sys/fs/cgroup/memory/user/memory.limit_in_bytes", "500000\n");
    write("/sys/fs/cgroup/memory/user/memory.usage_in_bytes", "400000\n");
    write("/sys/fs/cgroup/cpu,cpuacct/user/cpu.cfs_quota_us", "100000\n");
    write("/sys/fs/cgroup/cpu,cpuacct/user/cpu.cfs_period_us", "50000\n");
    EXPECT_EQ(memory_left(), 100000u);
    EXPECT_DOUBLE_EQ(cpus(), 2.0);
}

TEST_F(CgroupLimits, AMountThatShowsOnlyThisGroupIsReadAtItsRoot)
{
    version1("/docker/abc", "/docker/abc");
    write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n");
    write("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "10\n");
    write("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "1\n");
    EXPECT_EQ(memory_left(), 900u);
    version1("/docker/abc/inner", "/docker/abc");
    write("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "500\n");
    write("/sys/fs/cgroup/memory/inner/memory.usage_in_bytes", "100\n");
    EXPECT_EQ(memory_left(), 400u);
}

TEST_F(CgroupLimits, AMountThatDoesNotShowThisGroupStandsForIt)
{
    for (const char* visible : {"/docker/ab", "/docker/abcd", "/lxc"}) {
        version1("/docker/abc", visible);
        write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
        write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n");
        EXPECT_EQ(memory_left(), 900u) << visible;
    }
}

TEST_F(CgroupLimits, BothVersionsTogetherCount)
{
    write("/proc/self/cgroup", "5:memory:/job\n0::/job\n");
    write("/proc/self/mountinfo",
        "36 25 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "37 25 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n");
    write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100\n");
    write("/sys/fs/cgroup/unified/job/cpu.max", "400000 100000\n");
    EXPECT_EQ(memory_left(), 900u);
    EXPECT_DOUBLE_EQ(cpus(), 4.0);
}

}  // namespace
