#include "backend/cpu/processors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

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
