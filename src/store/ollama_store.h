#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "store/model_entry.h"
#include "store/model_name.h"

namespace pleiad::store {

/// The models of a store of Ollama (manifests/<host>/<namespace>/<model>/<tag>, blobs/),
/// read in place, without details. What is damaged has its `problem`; nothing is thrown
/// because of a file.
std::vector<ModelEntry> scan_ollama_store(const std::filesystem::path& store);

/// One of them.
std::optional<ModelEntry> find_in_ollama_store(const std::filesystem::path& store,
                                               const ModelName& name);

}  // namespace pleiad::store
