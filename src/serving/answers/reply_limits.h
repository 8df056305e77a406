#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/thought_limit.h"
#include "text/reply_parser.h"

namespace pleiad::serving {

struct AnswerRequest;
struct AnswerResult;

/// What ends the thoughts and replies of requests that say nothing of it.
struct ReplyDefaults {
  std::optional<std::int64_t> thinking_budget;  // tokens; empty: thoughts are not limited
  bool repetition_guard = true;
};

/// The tokens of thought that a level stands for; empty: any number. Levels are "low" (1,024),
/// "medium" (8,192), "high" (24,576), "xhigh" and "max" (no limit); others have none either.
std::optional<std::int64_t> budget_of_level(std::string_view level);

/// Whether a reply that repeats itself is ended. Where the request wants so many tokens whatever
/// they are (ignore_end) it is not, unless the request asks for it.
bool guards_repetition(const AnswerRequest& request, const ReplyDefaults& defaults);

/// When the thoughts of the reply are ended, which may have `total` tokens in all; no rules where
/// none are shown. `warnings` learns what cannot be as it was asked for.
ThoughtRules thought_rules(const AnswerRequest& request, const ReplyDefaults& defaults,
                           const text::ReplyOptions& reply, std::int64_t total,
                           std::vector<std::string>& warnings);

/// What tell_limits() says begins so.
inline constexpr std::string_view kThoughtEnded = "thinking was ended";
inline constexpr std::string_view kReplyEnded = "the reply was ended";

/// What is to be told of a thought or a reply that was ended so.
void tell_limits(const AnswerResult& result, std::vector<std::string>& warnings);

}  // namespace pleiad::serving
