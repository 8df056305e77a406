#pragma once

#include <string>

#include "base/json.h"

namespace pleiad::api {

/// Of texts one of which a reply has to be, which stand at `path`. Throws RequestError that names
/// the first one that is none: "guided_choice[2]: expected a text that is not empty, found 7".
void check_choice_texts(const Json& texts, const std::string& path);

}  // namespace pleiad::api
