#pragma once

#include <string>
#include <vector>

#include "api/common/request_notes.h"
#include "api/openai/token_lists.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// The body of POST /v1/completions.
struct CompletionRequest {
  serving::AnswerRequest answer;  // without its text or tokens
  std::vector<std::string> prompts;
  TokenLists token_prompts;  // instead of texts
  int n_choices = 1;         // for each prompt
  bool echo = false;         // the prompt comes before the answer
  bool stream = false;
  bool include_usage = false;
  std::vector<std::string> warnings;

  std::size_t n_prompts() const { return prompts.size() + token_prompts.size(); }

  /// One for each choice of each prompt, in the order of their indexes.
  std::vector<serving::AnswerRequest> answers() const;
};

/// Throws RequestError.
CompletionRequest read_completion_request(const Json& body, SpareFields spare = SpareFields::tell);

}  // namespace pleiad::api::openai
