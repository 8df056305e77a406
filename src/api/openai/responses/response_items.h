#pragma once

#include <string>

#include "api/common/id_source.h"
#include "api/common/request_notes.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// The items of a response's input, checked, each with an id: messages, function calls
/// and their results, reasoning. A string becomes one message of the user's. Throws
/// RequestError.
Json read_items(const Json& input, const std::string& path, IdSource& ids, RequestNotes& notes);

/// Items, of earlier turns and this one, as the messages of an AnswerRequest; empty
/// `instructions` are left out. Throws RequestError: a result without its call.
Json items_to_messages(const std::string& instructions, const Json& items);

}  // namespace pleiad::api::openai
