#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace pleiad::constrain {

constexpr std::size_t kMostVacuousNotes = 8;  // of a request

/// Parts of a schema that its root leads to, and that allow any value though something stands in
/// them: no keyword says what a value must be, and there is more than annotations. So it is with a
/// schema that was wrapped once too often, with an example in its place, and with properties that
/// lack "properties" around them. And "required": true, which is of drafts before the fourth and
/// asks for nothing in later ones. The standard allows it; it is hardly ever meant. Not looked at
/// is what stands in "not" and "if".
///
/// One note for each, at most `most`: "PATH: why, and what looks like the schema". `where` is the
/// root's path in the request; `allowed`: what the root's value may be all the same.
std::vector<std::string> notes_on_vacuous_schemas(const Json& schema, const std::string& where,
                                                  std::size_t most = kMostVacuousNotes,
                                                  std::string_view allowed = "any value is");

}  // namespace pleiad::constrain
