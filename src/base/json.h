#pragma once

#include <nlohmann/json.hpp>

namespace pleiad {

/// JSON values keep the order of their keys, because users see them again.
using Json = nlohmann::ordered_json;

}  // namespace pleiad
