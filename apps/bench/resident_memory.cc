#include "apps/bench/resident_memory.h"

#include <fstream>
#include <string>

namespace pleiad::apps {

bool reset_peak_resident() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

std::optional<std::uint64_t> peak_resident_bytes() {
  std::ifstream file("/proc/self/status");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (file >> word) {
    if (word == "VmHWM:" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace pleiad::apps
