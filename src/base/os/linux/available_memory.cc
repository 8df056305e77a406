#include "base/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

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

/// What a control group leaves of its limit; nothing where it has none.
std::optional<std::uint64_t> left_in(const std::filesystem::path& group) {
  const auto limit = number_of(group / "memory.max");
  const auto used = number_of(group / "memory.current");
  if (!limit || !used) return std::nullopt;
  // Files in the page cache count as used there, and give way; files that are
  // in memory alone stay.
  const std::uint64_t files = difference(number_in(group / "memory.stat", "file").value_or(0),
                                         number_in(group / "memory.stat", "shmem").value_or(0));
  return difference(*limit + files, *used);
}

/// The group that this process is in, as version 2 names it: "/system.slice/pleiad.service". Empty
/// where there is none.
std::filesystem::path own_group(const std::filesystem::path& root) {
  constexpr std::string_view kVersion2 = "0::/";
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kVersion2)) return line.substr(kVersion2.size());
  }
  return {};
}

}  // namespace

std::uint64_t available_memory(const std::filesystem::path& root) {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  if (const auto kilobytes = number_in(root / "proc/meminfo", "MemAvailable:")) {
    available = *kilobytes * 1024;
  }
  const auto limit_by = [&](const std::filesystem::path& group) {
    if (const auto left = left_in(group)) available = std::min(available, *left);
  };
  // Each group from the top down to this process's has a limit of its own. In a container the
  // name may be one of outside: then only groups that are there count.
  std::filesystem::path group = root / "sys/fs/cgroup";
  limit_by(group);
  for (const std::filesystem::path& part : own_group(root)) {
    if (part == "..") break;
    group /= part;
    limit_by(group);
  }
  return available;
}

}  // namespace pleiad
