#include "base/os/processors.h"

#include <windows.h>

#include <thread>

namespace pleiad::os {

// Windows numbers processors within groups of 64, and a process begins with one group. That of the
// calling thread counts; a machine with more processors is used in part.
std::vector<int> allowed_processors() {
  // A thread's own mask can only be asked for by setting another one.
  DWORD_PTR allowed = 0;
  DWORD_PTR there = 0;
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &allowed, &there) == 0) allowed = 0;
  if (const DWORD_PTR own = ::SetThreadAffinityMask(::GetCurrentThread(), allowed); own != 0) {
    ::SetThreadAffinityMask(::GetCurrentThread(), own);
    allowed = own;
  }
  std::vector<int> processors;
  for (int processor = 0; processor < 64; ++processor) {
    if (((allowed >> processor) & 1) != 0) processors.push_back(processor);
  }
  // Of a process whose threads are in several groups the system says nothing.
  const int n = processors.empty() ? static_cast<int>(std::thread::hardware_concurrency()) : 0;
  for (int processor = 0; processor < n; ++processor) processors.push_back(processor);
  return processors;
}

int count_cores(std::span<const int> processors, const std::filesystem::path&) {
  DWORD bytes = 0;
  ::GetLogicalProcessorInformation(nullptr, &bytes);
  std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> known(
      bytes / sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION));
  if (::GetLogicalProcessorInformation(known.data(), &bytes) == 0) known.clear();
  DWORD64 left = 0;
  for (const int processor : processors) left |= DWORD64{1} << (processor % 64);
  int n_cores = 0;
  for (const SYSTEM_LOGICAL_PROCESSOR_INFORMATION& unit : known) {
    if (unit.Relationship != RelationProcessorCore || (left & unit.ProcessorMask) == 0) continue;
    left &= ~DWORD64{unit.ProcessorMask};
    ++n_cores;
  }
  for (; left != 0; left &= left - 1) ++n_cores;  // of which nothing is known
  return n_cores;
}

std::string processor_name() {
  constexpr DWORD kMost = 256;
  char name[kMost] = {};
  DWORD bytes = kMost;  // with the zero at the end
  const LSTATUS status =
      ::RegGetValueA(HKEY_LOCAL_MACHINE, R"(HARDWARE\DESCRIPTION\System\CentralProcessor\0)",
                     "ProcessorNameString", RRF_RT_REG_SZ, nullptr, name, &bytes);
  return status == ERROR_SUCCESS && name[0] != '\0' ? name : "unknown processor";
}

// The kernels for tiles are not built for Windows.
bool may_use_tiles() { return false; }

}  // namespace pleiad::os
