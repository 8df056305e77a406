#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pleiad::os {

/// The processors, by the system's numbers, that the calling thread may run on.
std::vector<int> allowed_processors();

/// How many physical cores these are; a processor of which nothing is known counts as one. `root`
/// is where /sys stands, on systems that have it.
int count_cores(std::span<const int> processors, const std::filesystem::path& root = "/");

/// "Intel(R) Xeon(R) ...", or "unknown processor".
std::string processor_name();

/// The system lets this process use the tiles of the matrix unit (AMX). Asking is what gives the
/// permission, which then holds for every thread.
bool may_use_tiles();

}  // namespace pleiad::os
