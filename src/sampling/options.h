#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pleiad::sampling {

/// How a token is chosen from the logits. The values here are those for a
/// checkpoint that brings none of its own; no penalty acts unless asked for.
/// sampler.h says in which order the fields act.
struct SamplingOptions {
  double temperature = 1.0;  // 0: greedy
  int top_k = 64;            // 0: off; 1: greedy
  double typical_p = 1.0;  // 1: off; the least probability that typical tokens are to have together
  double top_p = 0.95;     // 1: off
  double min_p = 0.0;      // 0: off; a fraction of the likeliest token's probability

  double repeat_penalty = 1.0;  // 1: off
  int repeat_last_n = 64;       // tokens that repeat_penalty looks back; 0: none, -1: all
  double presence_penalty = 0.0;
  double frequency_penalty = 0.0;

  std::vector<std::pair<std::int32_t, float>> logit_bias{};  // token, what is added to its logit

  /// Tokens that are never chosen, whatever else is asked for: those that the checkpoint names (the
  /// 12B's ends of pictures and sounds, which it is known to write in texts).
  std::vector<std::int32_t> suppressed_tokens{};

  std::optional<std::uint64_t> seed{};  // empty: one is taken from the system

  /// Empty: no logprobs, which saves a pass over the vocabulary. 0: that of the
  /// chosen token. 1 to 20: also those of so many likeliest tokens.
  std::optional<int> n_logprobs{};

  bool greedy() const { return temperature == 0.0 || top_k == 1; }
};

/// The options as they came, or a message that names the first field that is out
/// of range, the range and the value found.
Result<SamplingOptions> check_options(SamplingOptions options, std::size_t vocab_size);

}  // namespace pleiad::sampling
