#include "base/os/resident_memory.h"

#include <fstream>
#include <string>
#include <string_view>

namespace pleiad::os {
namespace {

/// A line of /proc/self/status that counts kilobytes, in bytes.
std::optional<std::uint64_t> status_bytes(std::string_view key) {
  std::ifstream file("/proc/self/status");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (file >> word) {
    if (word == key && file >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> resident_bytes() { return status_bytes("VmRSS:"); }

bool reset_peak_resident() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

std::optional<std::uint64_t> peak_resident_bytes() { return status_bytes("VmHWM:"); }

}  // namespace pleiad::os
