#pragma once

#include <ctime>
#include <filesystem>
#include <vector>

#include "store/prune.h"

namespace pleiad::store {

/// The beginnings of files in a Hugging Face cache that nobody downloads any more: neither they nor
/// their locks are held, and nobody has written to them for a minute, since some disks' locks do
/// not hold. Looks, and removes nothing. A folder that is none has none.
Prunable find_prunable_downloads(const std::filesystem::path& hub, std::time_t now);

/// As prune(), of those.
Pruned prune_downloads(const std::filesystem::path& hub, const std::vector<Unneeded>& confirmed,
                       std::time_t now);

}  // namespace pleiad::store
