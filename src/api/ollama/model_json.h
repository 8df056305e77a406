#pragma once

#include <string>
#include <vector>

#include "api/common/time_text.h"
#include "base/json.h"
#include "serving/service.h"
#include "store/file_facts.h"
#include "store/model_entry.h"

namespace pleiad::api::ollama {

/// One model of /api/tags.
Json tag_json(const store::ModelEntry& entry);

/// The answer of /api/show; `warnings` are about the request.
Json show_json(const store::ModelEntry& entry, const std::string& modelfile, store::FileFacts facts,
               std::vector<std::string> warnings = {});

/// The answer of /api/ps: the one that stays longest comes first.
Json loaded_json(std::vector<serving::LoadedInfo> loaded, WallTime now);

}  // namespace pleiad::api::ollama
