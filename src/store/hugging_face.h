#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/model_entry.h"

namespace pleiad::store {

/// The models of a Hugging Face cache (models--<org>--<name>/snapshots/<commit>/), without
/// details: checkpoints as "hf.co/org/name", GGUF files as "hf.co/org/name:Q4_0", or with
/// the file's name where that does not say it alone. So are called those of the snapshot that
/// refs/main names, else of the latest; those of others, unless they are the same files, as
/// "hf.co/org/name@REVISION:Q4_0", the revision being a branch or tag that is noted, or a commit.
/// The projector file of a GGUF file in a folder of its own may lie above it. Nothing is thrown
/// because of a file.
std::vector<ModelEntry> scan_hugging_face(const std::filesystem::path& hub);

/// The entry that "[hf.co/]org/name[@revision][:selector]" means, with "hf:" too, the selector
/// being the quantization or the file's name; of a commit some of its digits, seven at least. Null
/// where no such model is there; a Failure where several are and none is chosen.
Result<const ModelEntry*> find_hugging_face(std::string_view name,
                                            const std::vector<ModelEntry>& entries);

}  // namespace pleiad::store
