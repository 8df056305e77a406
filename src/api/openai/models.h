#pragma once

#include <vector>

#include "base/json.h"
#include "store/model_entry.h"

namespace pleiad::api::openai {

/// {"id", "object": "model", "created", "owned_by"}
Json model_json(const store::ModelEntry& entry);

/// Those that can be run.
Json model_list(const std::vector<store::ModelEntry>& entries);

}  // namespace pleiad::api::openai
