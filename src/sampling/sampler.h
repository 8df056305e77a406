#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "sampling/candidates.h"
#include "sampling/options.h"
#include "sampling/penalties.h"
#include "sampling/random.h"
#include "sampling/token_constraint.h"
#include "sampling/top_selector.h"

namespace pleiad::sampling {

struct TokenLogprob {
  std::int32_t token = 0;
  double logprob = 0;
};

struct SampledToken {
  std::int32_t token = 0;
  /// Natural logarithms of the model's own probabilities: log-softmax of the
  /// logits as given, before bias, penalties, temperature and filters. Present
  /// and filled as n_logprobs asks.
  std::optional<double> logprob;
  std::vector<TokenLogprob> top_logprobs;  // the likeliest first
  bool had_choice = false;  // of several tokens: other random numbers might have drawn another
};

/// Chooses the tokens of one sequence. In this order:
///
///   1. logit_bias is added;
///   2. penalties: repeat, then presence and frequency (see penalties.h);
///   3. suppressed tokens are out, unless a constraint allows nothing else;
///   4. tokens that a constraint does not allow are out;
///   5. temperature, or the best token where it is 0 or top_k is 1;
///   6. top_k, then typical_p on what top_k left, then top_p on what that left, each time
///      renormalised;
///   7. min_p, relative to the best token that is left;
///   8. one token is drawn from what is left, in proportion.
///
/// Equal scores rank by the lower id. Each token takes exactly one random number, greedy and
/// forced ones too. Equal options, seed, logits and history give equal
/// tokens on every machine.
class Sampler {
 public:
  /// Options that check_options() accepts.
  Sampler(SamplingOptions options, std::size_t vocab_size);

  /// Tells the penalties about a token of the prompt.
  void accept_prompt(std::int32_t token) { penalties_.accept_prompt(token); }
  /// Tells the penalties about a token of the reply; sample() does not do it.
  void accept(std::int32_t token) { penalties_.accept_reply(token); }
  /// The last tokens that accept() told of are no part of the reply any more. Random numbers that
  /// were taken do not come again.
  void take_back(std::span<const std::int32_t> tokens) { penalties_.take_back_reply(tokens); }

  /// Logits: [vocab_size]. Throws Error where one is infinite or not a number.
  /// Allocates nothing once warm, but for top_logprobs where those are wanted.
  SampledToken sample(std::span<const float> logits) { return sample(logits, nullptr); }
  /// Only what the constraint, if there is one, allows; which it is then told. Log
  /// probabilities stay those of all tokens.
  SampledToken sample(std::span<const float> logits, TokenConstraint* constraint);

  /// A token that nobody chooses (TokenConstraint::forced_next): takes its random number, and tells
  /// the constraint. `logits` are those of its place: [vocab_size]; without them no log
  /// probabilities are told.
  SampledToken take_forced(std::int32_t token, TokenConstraint& constraint,
                           std::span<const float> logits = {});

  std::uint64_t seed_in_use() const { return seed_; }
  const SamplingOptions& options() const { return options_; }

 private:
  std::span<const float> adjust(std::span<const float> logits);
  std::span<const float> only_allowed(std::span<const float> scores, TokenConstraint& constraint);
  std::int32_t draw(std::span<const float> scores, double uniform);
  void add_logprobs(std::span<const float> logits, SampledToken& sampled);

  SamplingOptions options_;
  std::size_t vocab_size_;
  std::uint64_t seed_;
  Random random_;
  Penalties penalties_;
  Candidates candidates_;
  TopSelector selector_;
  AlignedBuffer<float> adjusted_;  // [vocab_size], empty when nothing is adjusted
  // From the first constraint on:
  AlignedBuffer<float> allowed_scores_;  // [vocab_size]
  std::vector<std::uint64_t> allowed_;   // a bit a token
};

}  // namespace pleiad::sampling
