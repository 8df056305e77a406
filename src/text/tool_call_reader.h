#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace pleiad::text {

/// What stood between <|tool_call> and <tool_call|>. Quote tokens are kept apart
/// from the text, so that no text can pretend to be one.
struct ToolCallBody {
  std::string text;
  std::vector<std::size_t> quotes;  // offsets into text where a quote token stood

  /// With the quote tokens spelled.
  std::string raw() const;
};

struct ToolCall {
  std::string name;
  Json arguments;  // an object, keys in the order of the call
};

/// Reads `call:NAME{key:value,...}`, several in a row. Repairs what models get
/// wrong: missing closing braces, a missing closing quote, single or double
/// quotes instead of quote tokens, unquoted text. Anything else is a Failure,
/// because a call that was understood by halves must not be run. Linear time.
Result<std::vector<ToolCall>> read_tool_calls(const ToolCallBody& body);

}  // namespace pleiad::text
