#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <vector>

namespace pleiad::store {

/// What stands in a folder, sorted; nothing where it cannot be read, and of more than `most`
/// entries as many.
std::vector<std::filesystem::path> folder_entries(
    const std::filesystem::path& folder,
    std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace pleiad::store
