#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "store/model_entry.h"

namespace pleiad::api::anthropic {

/// {"type": "model", "id", "display_name", "created_at", ...}
Json model_json(const store::ModelEntry& entry);

/// A page of those that can be run: `limit`, `after_id` and `before_id` of the query.
/// Throws RequestError.
Json model_list(const std::vector<store::ModelEntry>& entries,
                const std::map<std::string, std::string>& query);

}  // namespace pleiad::api::anthropic
