#include "api/common/thinking_fields.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/common/options.h"
#include "api/common/request_error.h"
#include "serving/answers/reply_limits.h"

namespace pleiad::api {

namespace {

bool has_number(const serving::AnswerRequest& request) {
  return request.thinking_budget && !request.thinking_budget->is_level;
}

bool stands_in_options(std::string_view path) { return path.starts_with("options."); }

/// The first of the fields that say the same counts, but for one in `options`.
void read_number(FieldReader& fields, std::string_view key, serving::AnswerRequest& request) {
  const auto tokens = fields.integer(key, -1, kMaxTokens);
  if (!tokens) return;
  const std::string path = fields.path_of(key);
  refuse_second_budget(request, path, *tokens);
  const bool overrules = has_number(request) && stands_in_options(request.thinking_budget->field) &&
                         !stands_in_options(path);
  if (!has_number(request) || overrules) set_thinking_budget(request, path, *tokens);
}

}  // namespace

void refuse_second_budget(const serving::AnswerRequest& request, const std::string& path,
                          std::int64_t tokens) {
  if (!has_number(request)) return;
  const serving::ThinkingBudget& first = *request.thinking_budget;
  if (first.tokens == tokens || stands_in_options(first.field) || stands_in_options(path)) return;
  throw RequestError(path, fmt::format("differs from {}; give one of them", first.field));
}

void set_thinking_level(serving::AnswerRequest& request, std::string_view path,
                        std::string_view level) {
  request.think = level != "none" && level != "minimal";
  if (has_number(request)) {
    if (request.thinking_budget->tokens == 0) request.think = false;
    return;
  }
  serving::ThinkingBudget budget;
  budget.tokens = serving::budget_of_level(level).value_or(-1);
  budget.field = path;
  budget.is_level = true;
  request.thinking_budget = std::move(budget);
}

void set_thinking_budget(serving::AnswerRequest& request, std::string_view path,
                         std::int64_t tokens) {
  request.thinking_budget = serving::ThinkingBudget{tokens, std::string(path), false};
  if (tokens == 0) request.think = false;
}

void read_reply_limits(FieldReader& fields, serving::AnswerRequest& request) {
  read_number(fields, "thinking_budget", request);
  const auto guard = fields.flag("repetition_guard");
  if (guard && !request.repetition_guard) request.repetition_guard = guard;
}

void read_foreign_limits(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes) {
  for (const std::string_view key : {"thinking_budget_tokens", "thinking_token_budget"}) {
    read_number(body, key, request);
  }
  auto detection = body.child("repetition_detection");
  if (!detection) return;
  constexpr std::int64_t kMost = 1'000'000;
  const auto longest = detection->integer("max_pattern_size", 0, kMost);
  if (!request.repetition_guard) request.repetition_guard = longest.value_or(0) > 0;
  for (const std::string_view key : {"min_pattern_size", "min_count"}) {
    (void)detection->integer(key, 0, kMost);
  }
  if (longest.value_or(0) > 0) {
    notes.told(
        body.path_of("repetition_detection"),
        "what counts as a repetition is the same for all requests here; this turns the guard "
        "on");
  }
  notes.unknown(*detection);
}

void add_limit_ends(Json& ended, const serving::AnswerResult& result) {
  if (result.ended_thought) ended["thinking_ended_by"] = name(result.ended_thought->why);
  if (result.reason == FinishReason::repetition) ended["ended_by"] = "repetition";
}

}  // namespace pleiad::api
