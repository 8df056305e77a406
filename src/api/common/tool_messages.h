#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api {

/// Whether an API's calls and results carry ids.
enum class CallIds : std::uint8_t { expected, optional };

/// Brings messages of OpenAI's form into the one that the models' template shows: each result
/// (role "tool") behind the assistant's message with its call, in the order of the calls. A result
/// belongs to the call with its id, else to the first call (of its name, where it has one) that is
/// without a result. One whose call is not there becomes a result without a call, named by its
/// "name" or its id, in a turn of the assistant's. What was moved, guessed or is missing is told in
/// `notes`; `path_of` names message i.
void settle_tool_messages(Json& messages, CallIds ids,
                          const std::function<std::string(std::size_t)>& path_of,
                          RequestNotes& notes);

}  // namespace pleiad::api
