// MemoryHeadroom, in folders that look like the root of a system.
#include "launch/memory_headroom.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <stdlib.h>

namespace {

using fmpl::MemoryHeadroom;

class MemoryHeadroomTest : public testing::Test {
protected:
    MemoryHeadroomTest()
    {
        std::string name = testing::TempDir() + "fmpl-headroom-XXXXXX";
        if (mkdtemp(name.data()) != nullptr) root_ = name;
        EXPECT_FALSE(root_.empty());
    }
    ~MemoryHeadroomTest() override
    {
        if (!root_.empty()) std::filesystem::remove_all(root_);
    }

    void write(const std::string& path, const std::string& text) const
    {
        std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
        std::ofstream(root_ + path) << text;
    }
    void write_meminfo(int available_kib) const
    {
        write("/proc/meminfo", "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:   " + std::to_string(available_kib) +
                                   " kB\nBuffers: 1 kB\n");
    }
    std::size_t bytes() const { return MemoryHeadroom(root_).bytes(); }

    std::string root_;
};

TEST_F(MemoryHeadroomTest, IsWhatTheSystemHasAvailable)
{
    write_meminfo(500);
    EXPECT_EQ(bytes(), 500u * 1024);
}

TEST_F(MemoryHeadroomTest, IsWithoutLimitWhereNothingCanBeRead)
{
    errno = 77;
    EXPECT_EQ(bytes(), std::numeric_limits<std::size_t>::max());
    const MemoryHeadroom headroom(root_);
    errno = 77;
    headroom.bytes();
    EXPECT_EQ(errno, 77) << "bytes() changes errno";
}

TEST_F(MemoryHeadroomTest, IsWhatTheTightestUnifiedGroupLeaves)
{
    write_meminfo(500);
    write("/proc/self/cgroup", "0::/job/step\n");
    write("/sys/fs/cgroup/job/step/memory.max", "max\n");
    write("/sys/fs/cgroup/job/step/memory.current", "1\n");
    write("/sys/fs/cgroup/job/memory.max", "100000\n");
    write("/sys/fs/cgroup/job/memory.current", "70000\n");
    EXPECT_EQ(bytes(), 30000u);
    write("/sys/fs/cgroup/job/memory.stat", "active_file 40000\ninactive_file 5000\n");
    EXPECT_EQ(bytes(), 35000u) << "page cache that can go counts as free";
    write("/sys/fs/cgroup/job/memory.current", "200000\n");
    EXPECT_EQ(bytes(), 0u);
}

TEST_F(MemoryHeadroomTest, IsWhatAGroupOfVersion1Leaves)
{
    write_meminfo(500);
    write("/proc/self/cgroup", "9:cpu,cpuacct:/x\n4:memory:/job\n0::/\n");
    write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "300\n");
    write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "100000\n");
    write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "60000\n");
    write("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 7000\n");
    EXPECT_EQ(bytes(), 47000u);
}

TEST_F(MemoryHeadroomTest, LooksAgainEachTime)
{
    write_meminfo(500);
    const MemoryHeadroom headroom(root_);
    write_meminfo(200);
    EXPECT_EQ(headroom.bytes(), 200u * 1024);
}

}  // namespace
