#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/common/id_source.h"
#include "api/common/request_notes.h"
#include "api/openai/responses/response_store.h"
#include "api/openai/tools.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// What a body is read for.
enum class ResponseUse : std::uint8_t {
  answer,
  count,       // POST /v1/responses/input_tokens
  compaction,  // POST /v1/responses/compact
};

/// The body of POST /v1/responses, and of what takes nearly the same.
struct ResponseRequest {
  serving::AnswerRequest answer;
  ToolNames tool_names;
  Json input_items;                                // of this turn
  Json user_items = Json::array();                 // of all turns; for a compaction
  Json echo;                                       // the fields that the response repeats
  std::shared_ptr<const StoredResponse> previous;  // null: a conversation begins
  bool store = true;
  bool stream = false;
  bool background = false;
  std::vector<std::string> warnings;
};

/// What the caller can go back to; null where there is none.
struct KeptBefore {
  using Find = std::function<std::shared_ptr<const StoredResponse>(const std::string& id)>;
  Find response;   // by its id. Throws RequestError where it is still being made
  Find with_item;  // one with an item of this id
};

/// Throws RequestError.
ResponseRequest read_response_request(const Json& body, const KeptBefore& kept, IdSource& ids,
                                      SpareFields spare = SpareFields::tell,
                                      ResponseUse use = ResponseUse::answer);

}  // namespace pleiad::api::openai
