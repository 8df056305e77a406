#include "base/os/resident_memory.h"

#include <windows.h>

#include <psapi.h>

namespace pleiad::os {
namespace {

std::optional<PROCESS_MEMORY_COUNTERS> counters() {
  PROCESS_MEMORY_COUNTERS found = {};
  if (::GetProcessMemoryInfo(::GetCurrentProcess(), &found, sizeof found) == 0) return std::nullopt;
  return found;
}

}  // namespace

std::optional<std::uint64_t> resident_bytes() {
  const auto found = counters();
  return found ? std::optional<std::uint64_t>(found->WorkingSetSize) : std::nullopt;
}

bool reset_peak_resident() { return false; }  // it is kept from the start on

std::optional<std::uint64_t> peak_resident_bytes() {
  const auto found = counters();
  return found ? std::optional<std::uint64_t>(found->PeakWorkingSetSize) : std::nullopt;
}

}  // namespace pleiad::os
