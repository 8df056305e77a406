#include "base/available_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

namespace pleiad {
namespace {

namespace fs = std::filesystem;

/// /proc and /sys as the test wants them.
class AvailableMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() /
            ("pleiad_memory_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(root_ / "proc");
    fs::create_directories(root_ / "sys/fs/cgroup");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& name, const std::string& text) { std::ofstream(root_ / name) << text; }
  void write_meminfo() {
    write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:   5000 kB\n");
  }

  fs::path root_;
};

TEST_F(AvailableMemory, IsWhatTheSystemSays) {
  write_meminfo();
  EXPECT_EQ(available_memory(root_), 5000U * 1024);
  write("sys/fs/cgroup/memory.max", "max\n");
  write("sys/fs/cgroup/memory.current", "4000\n");
  EXPECT_EQ(available_memory(root_), 5000U * 1024);
}

TEST_F(AvailableMemory, IsLimitedByTheControlGroup) {
  write_meminfo();
  write("sys/fs/cgroup/memory.max", "100000\n");
  write("sys/fs/cgroup/memory.current", "60000\n");
  EXPECT_EQ(available_memory(root_), 40000U);
  write("sys/fs/cgroup/memory.stat", "anon 30000\nfile 25000\nshmem 5000\nfile_mapped 7\n");
  EXPECT_EQ(available_memory(root_), 60000U);
  write("sys/fs/cgroup/memory.current", "150000\n");  // the limit was lowered
  EXPECT_EQ(available_memory(root_), 0U);
}

TEST_F(AvailableMemory, IsLimitedByTheGroupOfTheProcessAndThoseAboveIt) {
  write_meminfo();
  const fs::path slice = "sys/fs/cgroup/system.slice";
  fs::create_directories(root_ / slice / "pleiad.service");
  fs::create_directories(root_ / "proc/self");
  write("proc/self/cgroup", "3:cpu:/other\n0::/system.slice/pleiad.service\n");
  write(slice / "memory.max", "max\n");
  write(slice / "memory.current", "70000\n");
  write(slice / "pleiad.service/memory.max", "100000\n");
  write(slice / "pleiad.service/memory.current", "60000\n");
  EXPECT_EQ(available_memory(root_), 40000U);
  write(slice / "memory.max", "90000\n");
  EXPECT_EQ(available_memory(root_), 20000U);
  // Of a container that sees the names of outside; there nothing is below its own group.
  write("proc/self/cgroup", "0::/../../system.slice\n");
  EXPECT_EQ(available_memory(root_), 5000U * 1024);
  write("proc/self/cgroup", "0::/docker/0123\n");
  EXPECT_EQ(available_memory(root_), 5000U * 1024);
}

TEST_F(AvailableMemory, IsLimitedByGroupsOfVersion1) {
  write_meminfo();
  const fs::path group = "sys/fs/cgroup/memory/docker/0123";
  fs::create_directories(root_ / group);
  fs::create_directories(root_ / "proc/self");
  write("proc/self/cgroup", "5:memory:/docker/0123\n4:cpu,cpuacct:/docker/0123\n");
  write(group / "memory.limit_in_bytes", "9223372036854771712\n");
  write(group / "memory.usage_in_bytes", "60000\n");
  EXPECT_EQ(available_memory(root_), 5000U * 1024);
  write(group / "memory.limit_in_bytes", "100000\n");
  EXPECT_EQ(available_memory(root_), 40000U);
  write(group / "memory.stat", "cache 1\nshmem 1\ntotal_cache 25000\ntotal_shmem 5000\n");
  EXPECT_EQ(available_memory(root_), 60000U);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "30000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "10000\n");
  EXPECT_EQ(available_memory(root_), 20000U);
}

TEST_F(AvailableMemory, IsWithoutEndWhereNothingSays) {
  EXPECT_EQ(available_memory(root_), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace pleiad
