#include "base/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/control_groups.h"

namespace pleiad {
namespace {

/// The number after `key` in a file of "key number" lines.
std::optional<std::uint64_t> number_in(const std::filesystem::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  for (std::string line; file >> word; std::getline(file, line)) {
    if (word == key && file >> number) return number;
  }
  return std::nullopt;
}

/// What a file holds that is one number; nothing for another, as "max".
std::optional<std::uint64_t> number_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

/// The files in which a control group tells of its memory.
struct Names {
  const char* limit;
  const char* used;
  const char* files;  // keys of memory.stat, for the group and all below it
  const char* files_in_memory;
};

/// What a control group leaves of its limit; nothing where it has none.
std::optional<std::uint64_t> left_in(const std::filesystem::path& group, const Names& names) {
  const auto limit = number_of(group / names.limit);
  const auto used = number_of(group / names.used);
  if (!limit || !used) return std::nullopt;
  // Files in the page cache count as used there, and give way; files that are
  // in memory alone stay.
  const std::filesystem::path stat = group / "memory.stat";
  const std::uint64_t files = difference(number_in(stat, names.files).value_or(0),
                                         number_in(stat, names.files_in_memory).value_or(0));
  // Where version 1 has no limit, it tells nearly the largest number.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return difference(*limit > most - files ? most : *limit + files, *used);
}

}  // namespace

std::uint64_t available_memory(const std::filesystem::path& root) {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  if (const auto kilobytes = number_in(root / "proc/meminfo", "MemAvailable:")) {
    available = *kilobytes * 1024;
  }
  const auto limit_by = [&](const std::vector<std::filesystem::path>& groups, const Names& names) {
    for (const std::filesystem::path& group : groups) {
      if (const auto left = left_in(group, names)) available = std::min(available, *left);
    }
  };
  limit_by(control_groups(root), {"memory.max", "memory.current", "file", "shmem"});
  limit_by(version_1_control_groups(root, "memory"),
           {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache", "total_shmem"});
  return available;
}

}  // namespace pleiad
