#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/openai/responses/response_request.h"
#include "api/openai/responses/response_store.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// What every body of one response repeats.
struct ResponseHead {
  std::string id;            // "resp_..."
  std::int64_t created = 0;  // Unix seconds
};

/// A response, as it is while there is nothing to say of its end.
Json response_json(const ResponseHead& head, const ResponseRequest& request,
                   std::string_view status, Json output);

/// Its usage. Thoughts that were not counted are null where there are any.
Json usage_json(const serving::AnswerResult& result, bool has_reasoning);

/// As it is kept: `body` and its output, beside what it was asked.
StoredResponse stored_response(const ResponseRequest& request, const Json& body);

}  // namespace pleiad::api::openai
