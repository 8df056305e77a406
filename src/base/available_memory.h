#pragma once

#include <cstdint>
#include <filesystem>

namespace pleiad {

/// Bytes that this process could still take without pressing on others: what
/// the system calls available, limited by the control group and those above it. The largest number
/// where nothing says. `root` is where /proc and /sys stand.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

}  // namespace pleiad
