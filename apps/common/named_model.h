#pragma once

#include <string>

#include "apps/common/environment.h"
#include "base/result.h"
#include "store/model_entry.h"

namespace pleiad::apps {

/// What a command's MODEL may be, in its help.
const char* model_help();

/// The model at hand of a name, which may turn out to be a path. A Failure says where it was looked
/// for. Where a build has no stores of models there are no names.
Result<store::ModelEntry> find_named_model(const std::string& name, const Environment& environment);

}  // namespace pleiad::apps
