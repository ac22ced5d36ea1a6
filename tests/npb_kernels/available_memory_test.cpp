// Memory that can still be had, read from folders that look like a system's.
#include "common/available_memory.hpp"

#include "support/ranks_test.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace {

using fmpl::npb::available_memory;

class AvailableMemory : public ::testing::Test {
protected:
    AvailableMemory()
    {
        std::string folder = (std::filesystem::temp_directory_path() / "fmpl-npb-XXXXXX").string();
        if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder " + folder);
        root_ = folder;
    }
    ~AvailableMemory() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text) const
    {
        const std::filesystem::path file = root_.string() + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    std::uint64_t found() const { return available_memory(root_.string()); }

private:
    std::filesystem::path root_;
};

constexpr const char* kMachine = "MemTotal:       8000 kB\nMemFree:        1000 kB\nMemAvailable:   5000 kB\n";

TEST_F(AvailableMemory, IsTheMachinesWithoutAControlGroup)
{
    write("/proc/meminfo", kMachine);
    EXPECT_EQ(found(), 5000u * 1024);
}

TEST_F(AvailableMemory, IsTheContainersWhereThatIsLess)
{
    write("/proc/meminfo", kMachine);
    write("/sys/fs/cgroup/memory.max", "3000000\n");
    write("/sys/fs/cgroup/memory.current", "1000000\n");
    EXPECT_EQ(found(), 2'000'000u);
    write("/sys/fs/cgroup/memory.max", "max\n");
    EXPECT_EQ(found(), 5000u * 1024);
    write("/sys/fs/cgroup/memory.max", "9000000000\n");
    EXPECT_EQ(found(), 5000u * 1024);
}

TEST_F(AvailableMemory, CountsCachedFilesAsAvailable)
{
    write("/sys/fs/cgroup/memory.max", "3000000\n");
    write("/sys/fs/cgroup/memory.current", "2900000\n");
    write("/sys/fs/cgroup/memory.stat", "anon 100\ninactive_file 1900000\nactive_file 5\n");
    EXPECT_EQ(found(), 2'000'000u);
}

TEST_F(AvailableMemory, IsReadFromTheFirstVersionOfControlGroupsToo)
{
    write("/proc/meminfo", kMachine);
    write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000\n");
    write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "2000000\n");
    write("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 500000\n");
    EXPECT_EQ(found(), 1'500'000u);
}

TEST_F(AvailableMemory, IsNothingInAContainerThatIsFull)
{
    write("/sys/fs/cgroup/memory.max", "3000000\n");
    write("/sys/fs/cgroup/memory.current", "3000001\n");
    EXPECT_EQ(found(), 0u);
}

TEST_F(AvailableMemory, WithoutAnythingToReadHasNoLimit)
{
    EXPECT_EQ(found(), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
