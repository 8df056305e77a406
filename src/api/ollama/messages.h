#pragma once

#include <string>
#include <vector>

#include "api/common/field_reader.h"
#include "base/json.h"

namespace pleiad::api::ollama {

/// Ollama's messages in the form of OpenAI's, which the engine reads: thinking becomes
/// reasoning, tool_name the name, calls get their type. `key` names the field. Throws
/// RequestError; unknown fields are named in `warnings`. Empty where it is absent.
Json read_messages(FieldReader& request, std::string_view key, std::vector<std::string>& warnings);

/// The tools, checked as far as this API's form goes; an empty list where absent.
Json read_tools(FieldReader& request);

/// Refuses a list of images (or audio) that is not empty.
void refuse_media_in(FieldReader& fields);

}  // namespace pleiad::api::ollama
