#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/json.h"

namespace pleiad::api {

/// Calls that one message may have, and results that may follow it: they are looked up in
/// each other.
inline constexpr std::size_t kMaxCalls = 1'024;

/// Checks that each message of role "tool" stands behind the assistant's message whose
/// call it answers (others of "tool" may be between): the models' template shows no
/// others. Throws RequestError, where `path_of` names message i.
void check_tool_messages(const Json& messages,
                         const std::function<std::string(std::size_t)>& path_of);

}  // namespace pleiad::api
