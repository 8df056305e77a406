#pragma once

#include <istream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/json.h"

namespace pleiad {

/// The value of JSON that a test wrote or expects; throws Error where it is none.
inline Json json_from(std::string_view text) { return parse_json(text, "a test's JSON"); }

inline Json json_from(std::istream& file) {
  return json_from(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace pleiad
