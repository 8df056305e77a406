#pragma once

#include <string>
#include <vector>

#include "api/anthropic/citations/cited_sources.h"
#include "api/common/request_notes.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::anthropic {

/// The body of POST /v1/messages, or of /v1/messages/count_tokens.
struct MessagesRequest {
  serving::AnswerRequest answer;
  CitedSources sources;
  bool stream = false;
  bool shows_thinking = true;
  std::vector<std::string> warnings;
};

/// Throws RequestError.
MessagesRequest read_messages_request(const Json& body, SpareFields spare = SpareFields::tell);
/// The same without what only an answer needs.
MessagesRequest read_count_request(const Json& body, SpareFields spare = SpareFields::tell);

}  // namespace pleiad::api::anthropic
