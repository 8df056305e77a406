#include "engine/forced_tokens.h"

#include <algorithm>

namespace pleiad {
namespace {

bool has_opinion(const sampling::SamplingOptions& options, text::TokenId token) {
  const auto is_it = [token](const auto& bias) { return bias.first == token; };
  return std::ranges::any_of(options.logit_bias, is_it) ||
         std::ranges::find(options.suppressed_tokens, token) != options.suppressed_tokens.end();
}

}  // namespace

ForcedTokens forced_tokens(sampling::TokenConstraint* constraint, const GenerationOptions& options,
                           std::int64_t most) {
  ForcedTokens out;
  if (!constraint || !options.forced_runs || most <= 0) return out;
  // One more, since what ends the reply is no token of it.
  for (const text::TokenId token : constraint->forced_next(static_cast<std::size_t>(most) + 1)) {
    if (has_opinion(options.sampling, token)) break;
    if (options.stop_tokens.contains(token)) {
      out.end = token;
      break;
    }
    if (std::ssize(out.tokens) == most) break;
    out.tokens.push_back(token);
  }
  return out;
}

std::int64_t saved_steps(std::int64_t n_tokens, FinishReason reason, std::int64_t n_steps) {
  const bool saw_stop = reason == FinishReason::stop_token;
  return std::max<std::int64_t>(0, n_tokens - (saw_stop ? 0 : 1) - n_steps);
}

}  // namespace pleiad
