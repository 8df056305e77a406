#include "sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "sampling/pick_kernels.h"
#include "sampling/softmax.h"

namespace pleiad::sampling {
namespace {

// Below every logit by so much that it weighs nothing, and yet a number that temperatures may
// divide: where it is all that a constraint allows it is chosen.
constexpr float kSuppressed = -1e30F;

void refuse_non_finite(std::span<const float> logits) {
  const std::size_t n_bad = best_kernels().count_non_finite(logits.data(), logits.size());
  if (n_bad == 0) return;
  const auto bad =
      std::find_if(logits.begin(), logits.end(), [](float logit) { return !std::isfinite(logit); });
  throw Error(
      "the model computed {} logits that are not finite numbers; the first is {}, of token {}",
      n_bad, *bad, bad - logits.begin());
}

}  // namespace

Sampler::Sampler(SamplingOptions options, std::size_t vocab_size)
    : options_(std::move(options)),
      vocab_size_(vocab_size),
      seed_(options_.seed ? *options_.seed : system_seed()),
      random_(seed_),
      penalties_(options_, vocab_size) {
  CHECK(vocab_size > 0);
  const Result<SamplingOptions> checked = check_options(options_, vocab_size);
  CHECK(checked.ok(), "{}", checked.message());
  if (!options_.logit_bias.empty() || !options_.suppressed_tokens.empty() || penalties_.active()) {
    adjusted_ = AlignedBuffer<float>(vocab_size);
  }
}

SampledToken Sampler::sample(std::span<const float> logits, TokenConstraint* constraint) {
  CHECK(logits.size() == vocab_size_, "{} logits, vocabulary of {}", logits.size(), vocab_size_);
  refuse_non_finite(logits);
  const double uniform = random_.uniform();
  std::span<const float> scores = adjust(logits);
  if (constraint) scores = only_allowed(scores, *constraint);
  SampledToken sampled;
  if (options_.greedy()) {
    sampled.token = selector_.select(scores, 1).front().token;
  } else {
    sampled.token = draw(scores, uniform);
    sampled.had_choice = candidates_.are_several();
  }
  if (options_.n_logprobs) add_logprobs(logits, sampled);
  if (constraint) constraint->accept(sampled.token);
  return sampled;
}

SampledToken Sampler::take_forced(std::int32_t token, TokenConstraint& constraint,
                                  std::span<const float> logits) {
  CHECK(logits.empty() || logits.size() == vocab_size_, "{} logits, vocabulary of {}",
        logits.size(), vocab_size_);
  if (!logits.empty()) refuse_non_finite(logits);
  random_.uniform();
  SampledToken taken;
  taken.token = token;
  if (options_.n_logprobs && !logits.empty()) add_logprobs(logits, taken);
  constraint.accept(token);
  return taken;
}

std::span<const float> Sampler::adjust(std::span<const float> logits) {
  if (adjusted_.size() == 0) return logits;
  const std::span<float> scores = adjusted_.span();
  std::copy(logits.begin(), logits.end(), scores.begin());
  for (const auto& [token, bias] : options_.logit_bias) {
    scores[static_cast<std::size_t>(token)] += bias;
  }
  penalties_.apply(scores);
  for (const std::int32_t token : options_.suppressed_tokens) {
    scores[static_cast<std::size_t>(token)] = kSuppressed;
  }
  return scores;
}

/// The others get a score that nothing prefers and that weighs nothing.
std::span<const float> Sampler::only_allowed(std::span<const float> scores,
                                             TokenConstraint& constraint) {
  allowed_.resize((vocab_size_ + 63) / 64);
  if (!constraint.allowed_next(allowed_)) return scores;
  if (allowed_scores_.size() == 0) allowed_scores_ = AlignedBuffer<float>(vocab_size_);
  constexpr float kRuledOut = -std::numeric_limits<float>::infinity();
  const std::span<float> kept = allowed_scores_.span();
  bool any = false;
  // Most words allow none of their tokens.
  for (std::size_t begin = 0; begin < vocab_size_; begin += 64) {
    const std::uint64_t word = allowed_[begin / 64];
    const std::size_t n = std::min(vocab_size_ - begin, std::size_t{64});
    const std::span<float> out = kept.subspan(begin, n);
    if (word == 0) {
      std::ranges::fill(out, kRuledOut);
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const bool allowed = (word >> i & 1) != 0;
      any = any || allowed;
      out[i] = allowed ? scores[begin + i] : kRuledOut;
    }
  }
  CHECK(any, "the constraint allows no token");
  return allowed_scores_.span();
}

std::int32_t Sampler::draw(std::span<const float> scores, double uniform) {
  // What typical_p drops counts no more in top_p, which then says nothing of all tokens.
  const double sure = options_.typical_p < 1 ? 1.0 : options_.top_p;
  candidates_.fill(scores, options_.temperature, options_.top_k, sure);
  candidates_.keep_typical(options_.typical_p);
  candidates_.keep_top_p(options_.top_p);
  candidates_.keep_min_p(options_.min_p);
  return candidates_.pick(uniform);
}

void Sampler::add_logprobs(std::span<const float> logits, SampledToken& sampled) {
  const double log_sum = log_sum_exp(logits);
  const auto logprob = [&](std::int32_t token) {
    return static_cast<double>(logits[static_cast<std::size_t>(token)]) - log_sum;
  };
  sampled.logprob = logprob(sampled.token);
  const std::span<ScoredToken> best =
      selector_.select(logits, static_cast<std::size_t>(*options_.n_logprobs));
  std::sort(best.begin(), best.end(), ranks_before);
  sampled.top_logprobs.reserve(best.size());
  for (const ScoredToken& scored : best) {
    sampled.top_logprobs.push_back({scored.token, logprob(scored.token)});
  }
}

}  // namespace pleiad::sampling
