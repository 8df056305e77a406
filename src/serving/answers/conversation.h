#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"
#include "serving/answer.h"
#include "store/model_entry.h"

namespace pleiad::serving {

/// The messages of a chat, those of the model's Modelfile first (unless the request
/// brings a system message of its own). Throws RequestError where there are none.
Json conversation(const AnswerRequest& request, const store::Recipe& recipe);

/// How many of the oldest messages may be dropped, ascending: the system messages at
/// the beginning stay, and so does everything from the last user message on; an answer
/// of a tool does not stay without its call.
std::vector<std::size_t> cuts_of(const Json& messages);

/// Without the n oldest messages behind the system's.
Json without_oldest(const Json& messages, std::size_t n);

}  // namespace pleiad::serving
