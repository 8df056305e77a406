#include "server_bench/machine_state.h"

#include <fstream>
#include <string>
#include <vector>

namespace pleiad::server_bench {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::int64_t> read_number(const fs::path& path) {
  const auto line = read_line(path);
  if (!line || line->empty() || line->size() > 18 ||
      line->find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoll(*line);
}

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    paths.push_back(at->path());
  }
  return paths;
}

bool is_processor(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("cpu") && name.size() > 3 &&
         name.find_first_not_of("0123456789", 3) == std::string::npos;
}

/// A mains adapter that is off, and none that is on.
std::optional<bool> read_battery(const fs::path& supplies) {
  std::optional<bool> on_battery;
  for (const fs::path& supply : children(supplies)) {
    if (read_line(supply / "type") != "Mains") continue;
    const bool off = read_number(supply / "online") == 0;
    on_battery = on_battery.value_or(true) && off;
  }
  return on_battery;
}

}  // namespace

MachineState read_machine_state(const fs::path& sys) {
  MachineState state;
  double kilohertz = 0;
  int n_clocks = 0;
  for (const fs::path& path : children(sys / "devices/system/cpu")) {
    if (!is_processor(path)) continue;
    if (const auto clock = read_number(path / "cpufreq/scaling_cur_freq")) {
      kilohertz += static_cast<double>(*clock);
      ++n_clocks;
    }
    for (const char* counter : {"core_throttle_count", "package_throttle_count"}) {
      if (const auto count = read_number(path / "thermal_throttle" / counter)) {
        state.throttle_events = state.throttle_events.value_or(0) + *count;
      }
    }
  }
  if (n_clocks > 0) state.megahertz = kilohertz / n_clocks / 1000;
  state.on_battery = read_battery(sys / "class/power_supply");
  return state;
}

}  // namespace pleiad::server_bench
