#pragma once

#include <string>
#include <vector>

#include "api/common/request_notes.h"
#include "api/openai/tools.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// The body of POST /v1/chat/completions.
struct ChatRequest {
  serving::AnswerRequest answer;
  int n_choices = 1;
  CustomTools custom_tools;
  bool legacy_functions = false;  // calls are answered as `function_call`
  bool stream = false;
  bool include_usage = false;  // in a stream
  std::vector<std::string> warnings;
};

/// Throws RequestError.
ChatRequest read_chat_request(const Json& body, SpareFields spare = SpareFields::tell);

/// One request for each choice: a seed that was given grows by one.
std::vector<serving::AnswerRequest> one_for_each_choice(const serving::AnswerRequest& request,
                                                        int n_choices);

}  // namespace pleiad::api::openai
