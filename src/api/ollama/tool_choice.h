#pragma once

#include <string>
#include <vector>

#include "api/common/field_reader.h"
#include "serving/answer.h"

namespace pleiad::api::ollama {

/// `tool_choice`, which Ollama's own API lacks, as OpenAI means it: "none", "auto", "required", or
/// {"type": "function", "function": {"name": ...}}; after the request's tools. Throws RequestError.
void read_tool_choice(FieldReader& request, serving::AnswerRequest& answer,
                      std::vector<std::string>& warnings);

}  // namespace pleiad::api::ollama
