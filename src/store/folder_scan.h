#pragma once

#include <filesystem>
#include <vector>

#include "store/model_entry.h"

namespace pleiad::store {

/// The .gguf models and checkpoint folders below a folder, six levels deep at most, without
/// details. Their name is that of the file or folder ("gemma-4-E2B-it-Q4_0:latest"), or their
/// path where that cannot be a name or is another's too. Hidden folders are left out, links
/// are followed, each folder is seen once. Nothing is thrown because of a file.
std::vector<ModelEntry> scan_folder(const std::filesystem::path& folder);

}  // namespace pleiad::store
