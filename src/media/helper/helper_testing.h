#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/testing/paths.h"
#include "media/reader.h"

namespace pleiad::media {

/// The test's own helper, which lies beside it, as testing/test_helper.cc knows `what`.
inline HelperProgram test_helper(const std::string& what) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {folder / "media_test_helper", {what}};
}

inline std::vector<std::byte> file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

inline std::vector<std::byte> golden_picture(const std::string& name) {
  return file_bytes(golden_path("media/pictures/" + name));
}

/// The processes that this one has started and not yet seen the end of.
inline std::set<pid_t> children() {
  std::set<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos) continue;
    // "PID (NAME) STATE PARENT ..."
    if (std::stol(stat.substr(name_end + 4)) == ::getpid()) found.insert(std::stoi(name));
  }
  return found;
}

inline std::size_t n_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace pleiad::media
