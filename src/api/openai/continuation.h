#pragma once

#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// continue_final_message and add_generation_prompt, vLLM's fields: whether the answer goes on with
/// a last message of the assistant's (it does where nothing is said, which is told, since OpenAI's
/// own begins a turn) or begins a turn of its own. After the messages; `path` names them. Throws
/// RequestError.
void read_continuation(FieldReader& body, std::string_view path, serving::AnswerRequest& request,
                       RequestNotes& notes);

}  // namespace pleiad::api::openai
