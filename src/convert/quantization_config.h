#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "convert/mix.h"

namespace pleiad::convert {

/// The "quantization_config" of a folder's config.json, as the library compressed-tensors
/// writes it (its version 0.20) and vLLM and transformers read it. `ignore` names the
/// Linear modules that stay as they are. CHECKs that `type` is one of a folder.
Json quantization_config(FileType type, const std::vector<std::string>& ignore);

}  // namespace pleiad::convert
