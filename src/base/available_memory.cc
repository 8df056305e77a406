#include "base/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

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

}  // namespace

std::uint64_t available_memory(const std::filesystem::path& root) {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  if (const auto kilobytes = number_in(root / "proc/meminfo", "MemAvailable:")) {
    available = *kilobytes * 1024;
  }
  const std::filesystem::path group = root / "sys/fs/cgroup";
  const auto limit = number_of(group / "memory.max");
  const auto used = number_of(group / "memory.current");
  if (limit && used) {
    // Files in the page cache count as used there, and give way; files that are
    // in memory alone stay.
    const std::uint64_t files = difference(number_in(group / "memory.stat", "file").value_or(0),
                                           number_in(group / "memory.stat", "shmem").value_or(0));
    available = std::min(available, difference(*limit + files, *used));
  }
  return available;
}

}  // namespace pleiad
