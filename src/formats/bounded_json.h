#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pleiad {

/// JSON of a model folder. Unlike Json it does not keep the order of keys, so that one of very many
/// is found quickly.
using BoundedJson = nlohmann::json;

/// Parses JSON from a file that `file` names. Throws LoadError where it is not valid, nests deeper
/// than 32 levels or is beyond the other limits of files (base/json_limits.h).
BoundedJson parse_bounded_json(std::string_view text, const std::string& file);

}  // namespace pleiad
