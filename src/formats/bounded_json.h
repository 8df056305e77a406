#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pleiad {

/// JSON of a model folder. Unlike Json it does not keep the order of keys, which
/// would make an object of very many keys slow to build.
using BoundedJson = nlohmann::json;

/// Parses JSON from a file that `file` names. Throws LoadError where it is not
/// valid or nests too deep (copying or showing a value recurses as deep).
BoundedJson parse_bounded_json(std::string_view text, const std::string& file);

}  // namespace pleiad
