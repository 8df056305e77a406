#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/common/id_source.h"
#include "api/common/request_notes.h"
#include "api/openai/responses/response_store.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// The body of POST /v1/responses.
struct ResponseRequest {
  serving::AnswerRequest answer;
  Json input_items;                                // of this turn
  Json echo;                                       // the fields that the response repeats
  std::shared_ptr<const StoredResponse> previous;  // null: a conversation begins
  bool store = true;
  bool stream = false;
  std::vector<std::string> warnings;
};

/// A response of the caller's by its id, or null.
using FindResponse = std::function<std::shared_ptr<const StoredResponse>(const std::string& id)>;

/// Throws RequestError.
ResponseRequest read_response_request(const Json& body, const FindResponse& find, IdSource& ids,
                                      SpareFields spare = SpareFields::tell);

}  // namespace pleiad::api::openai
