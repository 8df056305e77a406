#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "text/prompt.h"

namespace pleiad::text {

/// A tool in OpenAI's form ({"type": "function", "function": {name, description,
/// parameters: a JSON schema}}) as Gemma's system turn declares it, between
/// <|tool> and <tool|>. `where` ("tools[2]") begins the message of a Failure.
Result<Prompt> declare_tool(const Json& tool, const std::string& where);

}  // namespace pleiad::text
