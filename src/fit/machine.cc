#include "fit/machine.h"

#include <algorithm>

namespace pleiad::fit {

Machine described_machine(double read_bytes_per_second, std::uint64_t memory_bytes,
                          std::optional<double> operations_per_second) {
  constexpr std::uint64_t kSystem = std::uint64_t{2} << 30;
  const std::uint64_t kept = std::max(kSystem, memory_bytes / 10);
  Machine machine;
  machine.name = "another machine";
  machine.memory_bytes = memory_bytes > kept ? memory_bytes - kept : 0;
  machine.read_bytes_per_second = read_bytes_per_second;
  machine.operations_per_second = operations_per_second;
  return machine;
}

}  // namespace pleiad::fit
