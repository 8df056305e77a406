#include "sampling/options.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace pleiad::sampling {
namespace {

constexpr double kMaxPenalty = 2.0;  // as the OpenAI API documents
constexpr double kMaxBias = 100.0;   // likewise
constexpr int kMaxLogprobs = 20;     // likewise

/// Empty when all is well. NaN fails every comparison, so it is always refused.
std::string first_problem(const SamplingOptions& options, std::size_t vocab_size) {
  if (!(options.temperature >= 0 && std::isfinite(options.temperature))) {
    return fmt::format("temperature: expected a finite number of at least 0, found {}",
                       options.temperature);
  }
  if (options.top_k < 0) {
    return fmt::format("top_k: expected 0 (off) or more, found {}", options.top_k);
  }
  if (!(options.typical_p >= 0 && options.typical_p <= 1)) {
    return fmt::format("typical_p: expected 0 to 1 (off), found {}", options.typical_p);
  }
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    return fmt::format("top_p: expected more than 0 and at most 1, found {}", options.top_p);
  }
  if (!(options.min_p >= 0 && options.min_p <= 1)) {
    return fmt::format("min_p: expected 0 to 1, found {}", options.min_p);
  }
  if (!(options.repeat_penalty > 0 && std::isfinite(options.repeat_penalty))) {
    return fmt::format("repeat_penalty: expected a finite number above 0, found {}",
                       options.repeat_penalty);
  }
  if (options.repeat_last_n < -1) {
    return fmt::format("repeat_last_n: expected -1 (all), 0 (off) or more, found {}",
                       options.repeat_last_n);
  }
  if (!(std::abs(options.presence_penalty) <= kMaxPenalty)) {
    return fmt::format("presence_penalty: expected -2 to 2, found {}", options.presence_penalty);
  }
  if (!(std::abs(options.frequency_penalty) <= kMaxPenalty)) {
    return fmt::format("frequency_penalty: expected -2 to 2, found {}", options.frequency_penalty);
  }
  for (const auto& [token, bias] : options.logit_bias) {
    if (token < 0 || static_cast<std::size_t>(token) >= vocab_size) {
      return fmt::format("logit_bias: expected token ids below {}, found {}", vocab_size, token);
    }
    if (!(std::abs(bias) <= kMaxBias)) {
      return fmt::format("logit_bias: expected -100 to 100 for token {}, found {}", token, bias);
    }
  }
  for (const std::int32_t token : options.suppressed_tokens) {
    if (token < 0 || static_cast<std::size_t>(token) >= vocab_size) {
      return fmt::format("suppressed_tokens: expected token ids below {}, found {}", vocab_size,
                         token);
    }
  }
  if (options.n_logprobs && (*options.n_logprobs < 0 || *options.n_logprobs > kMaxLogprobs)) {
    return fmt::format("n_logprobs: expected 0 to {}, found {}", kMaxLogprobs, *options.n_logprobs);
  }
  return {};
}

}  // namespace

Result<SamplingOptions> check_options(SamplingOptions options, std::size_t vocab_size) {
  std::string problem = first_problem(options, vocab_size);
  if (!problem.empty()) return Failure{std::move(problem)};
  return options;
}

}  // namespace pleiad::sampling
