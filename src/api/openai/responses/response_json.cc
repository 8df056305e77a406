#include "api/openai/responses/response_json.h"

#include <utility>

#include "api/common/request_json.h"
#include "api/openai/media_part.h"

namespace pleiad::api::openai {

Json response_json(const ResponseHead& head, const ResponseRequest& request,
                   std::string_view status, Json output) {
  Json body = {{"id", head.id},
               {"object", "response"},
               {"created_at", head.created},
               {"status", status},
               {"completed_at", nullptr},
               {"error", nullptr},
               {"incomplete_details", nullptr},
               {"model", request.answer.model},
               {"output", std::move(output)},
               {"usage", nullptr}};
  body.update(request.echo);
  return body;
}

Json usage_json(const serving::AnswerResult& result, bool has_reasoning) {
  const std::int64_t input = result.stats.prompt_tokens;
  const std::int64_t output = result.stats.generated_tokens;
  Json thinking;  // null: not counted
  if (result.thinking_tokens) thinking = *result.thinking_tokens;
  if (!has_reasoning && thinking.is_null()) thinking = 0;
  Json details = {{"reasoning_tokens", std::move(thinking)}};
  if (result.stats.saved_steps > 0 || result.stats.forced_tokens > 0) {
    details["forced_tokens"] = result.stats.forced_tokens;
    details["saved_steps"] = result.stats.saved_steps;
  }
  if (result.stats.dropped_tokens > 0) details["dropped_tokens"] = result.stats.dropped_tokens;
  return {{"input_tokens", input},
          {"input_tokens_details",
           {{"cached_tokens", result.stats.cached_tokens}, {"cache_write_tokens", 0}}},
          {"output_tokens", output},
          {"output_tokens_details", std::move(details)},
          {"total_tokens", input + output}};
}

StoredResponse stored_response(const ResponseRequest& request, const Json& body) {
  StoredResponse stored;
  stored.id = body["id"].get<std::string>();
  stored.status = body["status"].get<std::string>();
  stored.body = to_text(body);
  stored.input_items = to_text(request.input_items);
  stored.output_items = to_text(body["output"]);
  for (const Json* items : {&request.input_items, &body["output"]}) {
    for (const Json& item : *items) {
      stored.item_ids.push_back(item["id"].get<std::string>());
      stored.media_bytes += media_bytes(item);
    }
  }
  stored.background = request.background;
  stored.previous = request.previous;
  stored.n_turns = request.previous ? request.previous->n_turns + 1 : 1;
  return stored;
}

}  // namespace pleiad::api::openai
