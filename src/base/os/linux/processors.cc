#include "base/os/processors.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace pleiad::os {

namespace fs = std::filesystem;

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  // The system refuses a mask that is too small for all the processors it knows.
  for (int most = CPU_SETSIZE; most <= 1 << 20; most *= 2) {
    cpu_set_t* set = CPU_ALLOC(most);
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    CPU_ZERO_S(bytes, set);
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    for (int processor = 0; known && processor < most; ++processor) {
      if (CPU_ISSET_S(processor, bytes, set)) processors.push_back(processor);
    }
    CPU_FREE(set);
    if (known) return processors;
  }
  const int n = static_cast<int>(std::thread::hardware_concurrency());
  for (int processor = 0; processor < n; ++processor) processors.push_back(processor);
  return processors;
}

int count_cores(std::span<const int> processors, const fs::path& root) {
  std::set<std::string> cores;
  for (const int processor : processors) {
    const std::string name = "cpu" + std::to_string(processor);
    const fs::path topology = root / "sys/devices/system/cpu" / name / "topology";
    std::string core;
    // The second is the name that older systems have for the first.
    for (const char* file : {"core_cpus_list", "thread_siblings_list"}) {
      if (core.empty()) std::getline(std::ifstream(topology / file), core);
    }
    cores.insert(core.empty() ? name : core);
  }
  return static_cast<int>(cores.size());
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

bool may_use_tiles() {
#ifdef SYS_arch_prctl
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  static const bool granted = ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
#else
  return false;
#endif
}

}  // namespace pleiad::os
