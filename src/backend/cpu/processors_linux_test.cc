#include "backend/cpu/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace pleiad::cpu {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

/// /proc and /sys as the test wants them.
class Processors : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() /
            ("pleiad_processors_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  void write_siblings(int processor, const std::string& list,
                      const std::string& file = "core_cpus_list") {
    write("sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/" + file,
          list + "\n");
  }
  double quota() const { return processor_quota(root_); }
  int cores(const std::vector<int>& processors) const { return count_cores(processors, root_); }

  fs::path root_;
};

TEST_F(Processors, ThatShareACoreCountOnce) {
  write_siblings(0, "0,2");
  write_siblings(1, "1,3");
  write_siblings(2, "0,2");
  write_siblings(3, "1,3");
  EXPECT_EQ(cores({0, 1, 2, 3}), 2);
  EXPECT_EQ(cores({0, 2}), 1);
  EXPECT_EQ(cores({0, 1}), 2);
  EXPECT_EQ(cores({3}), 1);
}

TEST_F(Processors, AreCountedByTheOlderNameOfTheFileToo) {
  write_siblings(0, "0-1", "thread_siblings_list");
  write_siblings(1, "0-1", "thread_siblings_list");
  EXPECT_EQ(cores({0, 1}), 1);
}

TEST_F(Processors, OfWhichNothingIsKnownAreACoreEach) {
  write_siblings(0, "0-1");
  write_siblings(1, "0-1");
  EXPECT_EQ(cores({0, 1, 2, 3}), 3);
}

TEST_F(Processors, AreNotLimitedWhereNothingSaysSo) {
  EXPECT_EQ(quota(), kNone);
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), kNone);
  write("proc/self/cgroup", "no colons\n1:cpu\n0::/gone/../up\n");
  EXPECT_EQ(quota(), kNone);
}

TEST_F(Processors, AreLimitedByTheGroupOfAContainer) {
  write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("proc/self/cgroup", "0::/a/name/of/outside\n");
  EXPECT_EQ(quota(), 1.5);
  write("sys/fs/cgroup/cpu.max", "150000 0\n");
  EXPECT_EQ(quota(), kNone);
}

TEST_F(Processors, AreLimitedByTheirOwnGroupAndAllAbove) {
  write("proc/self/cgroup", "0::/system.slice/pleiad.service\n");
  write("sys/fs/cgroup/system.slice/pleiad.service/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 4.0);
  write("sys/fs/cgroup/system.slice/cpu.max", "50000 20000\n");
  EXPECT_EQ(quota(), 2.5);
  write("sys/fs/cgroup/other.slice/cpu.max", "10000 100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(Processors, AreLimitedByGroupsOfVersion1) {
  const std::string group = "sys/fs/cgroup/cpu,cpuacct/docker/0123";
  write("proc/self/cgroup", "5:memory:/docker/0123\n4:cpu,cpuacct:/docker/0123\n0::/\n");
  write(group + "/cpu.cfs_quota_us", "-1\n");
  write(group + "/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), kNone);
  write(group + "/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(quota(), 3.0);
  // In the container the group itself is what is mounted.
  fs::remove_all(root_ / group);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(Processors, AreLimitedWhereTheFolderListsTheControllersInAnotherOrder) {
  write("proc/self/cgroup", "4:cpuacct,cpu:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(Processors, AreLimitedByVersion2BesideVersion1) {
  write("proc/self/cgroup", "4:memory:/\n0::/user.slice\n");
  write("sys/fs/cgroup/unified/user.slice/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(Processors, OfCpusetsAreNotThoseOfTheCpuGroup) {
  write("proc/self/cgroup", "3:cpuset:/small\n");
  write("sys/fs/cgroup/cpuset/small/cpu.cfs_quota_us", "10000\n");
  write("sys/fs/cgroup/cpuset/small/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), kNone);
}

TEST(UsableProcessors, FollowTheAffinityOfTheThread) {
  const std::vector<int> all = allowed_processors();
  ASSERT_FALSE(all.empty());
  const double quota = processor_quota();
  EXPECT_EQ(usable_processors(), limited_threads(static_cast<int>(all.size()), quota));
  EXPECT_EQ(usable_cores(), limited_threads(count_cores(all), quota));
  // In a thread of its own: the mask of this one stays.
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(all.back(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(allowed_processors(), std::vector<int>{all.back()});
    EXPECT_EQ(usable_processors(), 1);
    EXPECT_EQ(usable_cores(), 1);
  }).join();
}

}  // namespace
}  // namespace pleiad::cpu
