#include "backend/cpu/processors.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <thread>

#include "base/control_groups.h"

namespace pleiad::cpu {
namespace {

namespace fs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Two numbers of one file: "max 100000" or "150000 100000".
double quota_of_version_2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  return file >> quota >> period && period > 0 ? quota / period : kNoLimit;
}

/// A file each; a quota of -1 is none.
double quota_of_version_1(const fs::path& group) {
  double quota = 0;
  double period = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : kNoLimit;
}

}  // namespace

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  // The system refuses a mask that is too small for all the processors it knows.
  for (int most = CPU_SETSIZE; most <= 1 << 20; most *= 2) {
    cpu_set_t* set = CPU_ALLOC(most);
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    CPU_ZERO_S(bytes, set);
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    for (int processor = 0; known && processor < most; ++processor) {
      if (CPU_ISSET_S(processor, bytes, set)) processors.push_back(processor);
    }
    CPU_FREE(set);
    if (known) return processors;
  }
  const int n = static_cast<int>(std::thread::hardware_concurrency());
  for (int processor = 0; processor < n; ++processor) processors.push_back(processor);
  return processors;
}

int count_cores(std::span<const int> processors, const fs::path& root) {
  std::set<std::string> cores;
  for (const int processor : processors) {
    const std::string name = "cpu" + std::to_string(processor);
    const fs::path topology = root / "sys/devices/system/cpu" / name / "topology";
    std::string core;
    // The second is the name that older systems have for the first.
    for (const char* file : {"core_cpus_list", "thread_siblings_list"}) {
      if (core.empty()) std::getline(std::ifstream(topology / file), core);
    }
    cores.insert(core.empty() ? name : core);
  }
  return static_cast<int>(cores.size());
}

double processor_quota(const fs::path& root) {
  double least = kNoLimit;
  for (const fs::path& group : control_groups(root)) {
    least = std::min(least, quota_of_version_2(group));
  }
  for (const fs::path& group : version_1_control_groups(root, "cpu")) {
    least = std::min(least, quota_of_version_1(group));
  }
  return least;
}

int limited_threads(int n_threads, double quota) {
  const double most = std::ceil(quota);
  return std::max(most < n_threads ? static_cast<int>(most) : n_threads, 1);
}

int usable_processors() {
  return limited_threads(static_cast<int>(allowed_processors().size()), processor_quota());
}

int usable_cores() { return limited_threads(count_cores(allowed_processors()), processor_quota()); }

}  // namespace pleiad::cpu
