#pragma once

#include <filesystem>

#include "base/os/processors.h"

// How many threads are worth starting. `root` is where /proc and /sys stand.

namespace pleiad::cpu {

using os::allowed_processors;
using os::count_cores;

/// The time that the control groups of this process grant, in processors: the least of its
/// own group and of all above, in version 1 or 2; infinity where nothing limits it.
double processor_quota(const std::filesystem::path& root = "/");

/// No more threads than the quota keeps busy, the last one perhaps in part; at least 1.
int limited_threads(int n_threads, double quota);

/// Threads for work of many kinds: one for each allowed processor, within the quota.
int usable_processors();

/// Threads for the kernels: one for each physical core of the allowed processors, within
/// the quota. A second one would share the units and caches that the first keeps busy.
int usable_cores();

}  // namespace pleiad::cpu
