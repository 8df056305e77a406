#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/run/chat_state.h"
#include "base/result.h"

namespace pleiad::apps {

struct Parameter {
  std::string_view name;  // as Ollama names it
  std::string_view about;
};

/// The parameters that can be set by name.
const std::vector<Parameter>& parameters();

/// Sets one from text, checked; a Failure names the parameter, what was expected
/// and what was found, and changes nothing. Returns what was set: "top_k = 40".
Result<std::string> set_parameter(ChatState& state, std::string_view name, std::string_view value,
                                  std::size_t vocab_size);

/// Thinking: "true", "false", or a level, which is a thinking_budget. Returns what was set; a
/// Failure says what was expected, and changes nothing.
Result<std::string> set_thinking(ChatState& state, std::string_view value);

/// A length of the context, in tokens, that a model supports (0: not known, the server checks it).
/// A Failure names num_ctx.
Result<bool> check_context_length(std::int64_t length, std::int64_t supported);
std::string context_length_text(std::int64_t length);

/// The values in `from` of all parameters that the user has chosen there go to `to`.
void keep_chosen(const ChatState& from, ChatState& to);

/// Their present values, one a line.
std::string parameter_values(const ChatState& state);

}  // namespace pleiad::apps
