#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/model_entry.h"

namespace pleiad::store {

/// The models of a Hugging Face cache (models--<org>--<name>/snapshots/<revision>/), without
/// details: checkpoints as "hf.co/org/name", GGUF files as "hf.co/org/name:Q4_0", or with
/// the file's name where that does not say it alone. Nothing is thrown because of a file.
std::vector<ModelEntry> scan_hugging_face(const std::filesystem::path& hub);

/// The entry that "[hf.co/]org/name[:selector]" means, the selector being the quantization or
/// the file's name. Null where no such model is there; a Failure where several are and none is
/// chosen.
Result<const ModelEntry*> find_hugging_face(std::string_view name,
                                            const std::vector<ModelEntry>& entries);

}  // namespace pleiad::store
