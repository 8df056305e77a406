#include "sampling/penalties.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace pleiad::sampling {
namespace {

/// Scores stay finite whatever the penalty.
float finite_score(double score) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(score, -kMax, kMax));
}

}  // namespace

Penalties::Penalties(const SamplingOptions& options, std::size_t vocab_size)
    : vocab_size_(vocab_size),
      repeat_penalty_(options.repeat_penalty),
      repeat_last_n_(options.repeat_last_n),
      presence_penalty_(options.presence_penalty),
      frequency_penalty_(options.frequency_penalty),
      repeats_count_(options.repeat_penalty != 1.0 && options.repeat_last_n != 0),
      replies_count_(options.presence_penalty != 0.0 || options.frequency_penalty != 0.0) {
  if (repeats_count_) last_position_.assign(vocab_size, -1);
  if (replies_count_) n_in_reply_.assign(vocab_size, 0);
}

void Penalties::accept_prompt(std::int32_t token) {
  CHECK(token >= 0 && static_cast<std::size_t>(token) < vocab_size_, "token {} of {}", token,
        vocab_size_);
  if (!repeats_count_) return;
  last_position_[static_cast<std::size_t>(token)] = static_cast<std::int32_t>(history_.size());
  history_.push_back(token);
}

void Penalties::accept_reply(std::int32_t token) {
  accept_prompt(token);
  if (!replies_count_) return;
  if (n_in_reply_[static_cast<std::size_t>(token)]++ == 0) reply_tokens_.push_back(token);
}

/// Of history_: what the repeat penalty looks at.
std::size_t Penalties::first_in_window() const {
  const std::size_t n = history_.size();
  return repeat_last_n_ < 0 ? 0 : n - std::min(n, static_cast<std::size_t>(repeat_last_n_));
}

void Penalties::take_back_reply(std::span<const std::int32_t> tokens) {
  if (repeats_count_) {
    CHECK(tokens.size() <= history_.size(), "{} of {} tokens", tokens.size(), history_.size());
    history_.resize(history_.size() - tokens.size());
    for (const std::int32_t token : tokens) last_position_[static_cast<std::size_t>(token)] = -1;
    for (std::size_t position = first_in_window(); position < history_.size(); ++position) {
      last_position_[static_cast<std::size_t>(history_[position])] =
          static_cast<std::int32_t>(position);
    }
  }
  if (!replies_count_) return;
  for (const std::int32_t token : tokens) --n_in_reply_[static_cast<std::size_t>(token)];
  std::erase_if(reply_tokens_, [this](std::int32_t token) {
    return n_in_reply_[static_cast<std::size_t>(token)] == 0;
  });
}

void Penalties::apply(std::span<float> scores) const {
  CHECK(scores.size() == vocab_size_, "{} scores, vocabulary of {}", scores.size(), vocab_size_);
  if (repeats_count_) {
    for (std::size_t position = first_in_window(); position < history_.size(); ++position) {
      const auto token = static_cast<std::size_t>(history_[position]);
      if (last_position_[token] != static_cast<std::int32_t>(position)) continue;  // comes later
      const double score = scores[token];
      scores[token] = finite_score(score > 0 ? score / repeat_penalty_ : score * repeat_penalty_);
    }
  }
  for (const std::int32_t reply_token : reply_tokens_) {
    const auto token = static_cast<std::size_t>(reply_token);
    scores[token] =
        finite_score(scores[token] - presence_penalty_ - n_in_reply_[token] * frequency_penalty_);
  }
}

}  // namespace pleiad::sampling
