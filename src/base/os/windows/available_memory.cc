#include "base/available_memory.h"

#include <windows.h>

#include <algorithm>
#include <limits>

namespace pleiad {

// Job objects, by which Windows limits groups of processes, limit what is committed.
std::uint64_t available_memory(const std::filesystem::path&) {
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof memory;
  if (::GlobalMemoryStatusEx(&memory) == 0) return std::numeric_limits<std::uint64_t>::max();
  return std::min<std::uint64_t>(memory.ullAvailPhys, memory.ullAvailPageFile);
}

}  // namespace pleiad
