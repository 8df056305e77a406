#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace pleiad::constrain {

/// Keywords that say something about values but not which are valid.
bool is_annotation(std::string_view keyword);

/// A schema for what is valid under both: "allOf" of two. Fails where no single schema of
/// the keywords that we know says so.
Result<Json> merge_schemas(const Json& left, const Json& right);

}  // namespace pleiad::constrain
