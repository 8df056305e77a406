#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace pleiad::server_bench {

/// What the system tells of its clocks; each only where it does. Virtual machines mostly
/// tell nothing, and of GPUs nothing is read.
struct MachineState {
  std::optional<double> megahertz;              // mean of the processors, at this moment
  std::optional<std::int64_t> throttle_events;  // thermal, since the system started
  std::optional<bool> on_battery;
};

/// `sys` is /sys, but in tests.
MachineState read_machine_state(const std::filesystem::path& sys);

}  // namespace pleiad::server_bench
