#include "api/openai/continuation.h"

#include <string>

#include "api/common/request_error.h"

namespace pleiad::api::openai {
namespace {

/// Calls at the end, and results, are nothing to go on with.
bool ends_in_text_of_assistant(const Json& messages) {
  if (messages.empty()) return false;
  const Json& last = messages.back();
  return last["role"] == "assistant" && !last.contains("tool_calls") &&
         !last.contains("tool_responses");
}

}  // namespace

void read_continuation(FieldReader& body, std::string_view path, serving::AnswerRequest& request,
                       RequestNotes& notes) {
  const auto continues = body.flag("continue_final_message");
  const auto prompts = body.flag("add_generation_prompt");
  if (continues.value_or(false) && prompts.value_or(false)) {
    throw RequestError("continue_final_message", "cannot be true where add_generation_prompt is");
  }
  const bool is_begun = ends_in_text_of_assistant(request.messages);
  if (continues.value_or(false) && !is_begun) {
    throw RequestError("continue_final_message",
                       "the last message is no text of the assistant's to go on with");
  }
  request.continue_last = continues ? *continues : !prompts.value_or(false);
  if (!is_begun && prompts && !*prompts) {
    notes.left_out("add_generation_prompt",
                   "the last message is no text of the assistant's to go on with");
  }
  if (is_begun && !continues && !prompts) {
    notes.told(std::string(path),
               "the last message is the assistant's, and the answer goes on with it; with "
               "\"continue_final_message\": false it is a turn of its own, as OpenAI's is");
  }
}

}  // namespace pleiad::api::openai
