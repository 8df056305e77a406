#pragma once

#include <filesystem>

namespace pleiad {

/// What renames, links and new files have changed in a folder reaches the disk, as far as it can be
/// asked for: not where the folder may be written and not read, nor of all file systems.
void sync_folder(const std::filesystem::path& folder);

}  // namespace pleiad
