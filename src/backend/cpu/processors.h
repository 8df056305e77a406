#pragma once

#include <filesystem>
#include <span>
#include <vector>

// How many threads are worth starting. `root` is where /proc and /sys stand.

namespace pleiad::cpu {

/// The processors, by the system's numbers, that this process may run on.
std::vector<int> allowed_processors();

/// How many physical cores these are; a processor of which nothing is known counts as one.
int count_cores(std::span<const int> processors, const std::filesystem::path& root = "/");

/// The time that the control groups of this process grant, in processors: the least of its
/// own group and of all above, in version 1 or 2; infinity where nothing limits it.
double processor_quota(const std::filesystem::path& root = "/");

/// Threads for work of many kinds: the allowed processors, or what the quota grants, rounded
/// up; at least 1.
int usable_processors();

/// Threads for the kernels, which one thread of a core keeps busy: a second one would share
/// its units and its caches. As above, in physical cores.
int usable_cores();

}  // namespace pleiad::cpu
