#include "serving/answers/reply_limits.h"

#include <array>
#include <utility>

#include "base/text_format.h"
#include "serving/answer.h"

namespace pleiad::serving {
namespace {

// Of a level as of any budget; what Gemini's models take for the same words.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kBudgetOfLevel = {
    {{"low", 1024}, {"medium", 8192}, {"high", 24576}}};

std::string tokens(std::int64_t n) {
  return fmt::format("{} token{}", format_count(static_cast<std::uint64_t>(n)), n == 1 ? "" : "s");
}

}  // namespace

std::optional<std::int64_t> budget_of_level(std::string_view level) {
  for (const auto& [name, budget] : kBudgetOfLevel) {
    if (name == level) return budget;
  }
  return std::nullopt;
}

bool guards_repetition(const AnswerRequest& request, const ReplyDefaults& defaults) {
  return request.repetition_guard.value_or(defaults.repetition_guard && !request.ignore_end);
}

ThoughtRules thought_rules(const AnswerRequest& request, const ReplyDefaults& defaults,
                           const text::ReplyOptions& reply, std::int64_t total,
                           std::vector<std::string>& warnings) {
  ThoughtRules rules;
  const auto& asked = request.thinking_budget;
  const bool thinks = request.form == AnswerRequest::Form::chat && request.think.value_or(false);
  if (!thinks || !reply.thinking_enabled) {
    if (asked && !asked->is_level && asked->tokens > 0) {
      warnings.push_back(
          fmt::format("{} has no effect: {}", asked->field,
                      request.form == AnswerRequest::Form::chat
                          ? "thinking is off"
                          : "a text is continued as it is, without thoughts of their own"));
    }
    return rules;
  }
  rules.ends_repetition = guards_repetition(request, defaults);
  if (asked) {
    if (asked->tokens >= 0) rules.budget = asked->tokens;
  } else {
    rules.budget = defaults.thinking_budget;
  }
  if (!rules.budget) return rules;
  ThinkingShare share = share_for_thinking(*rules.budget, total);
  rules.budget = share.budget;
  // A level, and what the server says, are as much as there is room for.
  const bool is_number = asked && !asked->is_level;
  if (!share.problem.empty() && (is_number || !share.budget)) {
    warnings.push_back(
        fmt::format("{}: {}", asked ? asked->field : "thinking budget", share.problem));
  }
  return rules;
}

void tell_limits(const AnswerResult& result, std::vector<std::string>& warnings) {
  if (const auto& thought = result.ended_thought) {
    warnings.push_back(
        thought->why == EndedThought::Why::budget
            ? fmt::format("{} after {}: its budget was spent", kThoughtEnded,
                          tokens(thought->tokens))
            : fmt::format("{} after {}: it repeated itself; \"repetition_guard\": false lets it go "
                          "on",
                          kThoughtEnded, tokens(thought->tokens)));
  }
  if (result.reason == FinishReason::repetition && result.repetition) {
    warnings.push_back(fmt::format(
        "{}: its last {} repeat the same {}; \"repetition_guard\": false lets it go on",
        kReplyEnded, tokens(result.repetition->length), tokens(result.repetition->period)));
  }
}

}  // namespace pleiad::serving
