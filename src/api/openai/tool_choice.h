#pragma once

#include "api/openai/tools.h"

namespace pleiad::api::openai {

/// `tool_choice` and `parallel_tool_calls`, once the tools have been read: a word, one tool by its
/// name, or {"type": "allowed_tools"}, which takes the others out of request.tools. Throws
/// RequestError.
void read_tool_choice(FieldReader& body, ToolForm form, const CustomTools& custom,
                      serving::AnswerRequest& request, RequestNotes& notes);

}  // namespace pleiad::api::openai
