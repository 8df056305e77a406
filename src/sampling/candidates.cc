#include "sampling/candidates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "sampling/softmax.h"

namespace pleiad::sampling {
namespace {

constexpr double kLargestFloat = std::numeric_limits<float>::max();

/// Rises as the score falls; equal for equal scores.
std::uint32_t falling_key(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 becomes 0
  return (bits >> 31) != 0 ? bits : ~bits & 0x7FFFFFFF;
}

/// Where a prefix of the candidates, best first, ends: all with a smaller key are
/// in, and those with this key while the weight that is in does not reach the target.
struct Cutoff {
  std::uint32_t key = 0;
  double weight_before = 0;  // of all with a smaller key
};

/// Finds the first key at which the weights, added up best first, reach `target`:
/// digit by digit, each with one histogram of weights.
Cutoff find_cutoff(std::span<const float> scores, std::span<const double> weights, double target) {
  struct Digit {
    int shift;
    int bits;
  };
  Cutoff cutoff;
  std::uint32_t known = 0;  // the bits of the key that are found
  for (const Digit digit : {Digit{21, 11}, Digit{10, 11}, Digit{0, 10}}) {
    const std::uint32_t digit_mask = (1U << digit.bits) - 1;
    std::array<double, 2048> histogram{};
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::uint32_t key = falling_key(scores[i]);
      if ((key & known) == cutoff.key) histogram[(key >> digit.shift) & digit_mask] += weights[i];
    }
    // Sums in another order may fall short of the target by a rounding error;
    // then the last bin that holds anything is the one.
    std::uint32_t found = 0;
    double before_found = cutoff.weight_before;
    double sum = cutoff.weight_before;
    for (std::uint32_t bin = 0; bin <= digit_mask && sum < target; ++bin) {
      if (histogram[bin] == 0) continue;
      found = bin;
      before_found = sum;
      sum += histogram[bin];
    }
    cutoff.key |= found << digit.shift;
    cutoff.weight_before = before_found;
    known |= digit_mask << digit.shift;
  }
  return cutoff;
}

}  // namespace

void Candidates::fill(std::span<const float> scores, double temperature, int top_k, double top_p) {
  CHECK(!scores.empty() && temperature > 0 && top_k >= 0);
  temperature_ = temperature;
  const auto n_best = static_cast<std::size_t>(top_k);
  if (top_k == 0 || n_best >= scores.size()) {
    fill_all(scores, temperature, top_p);
  } else {
    fill_top(scores, temperature, n_best);
  }
}

void Candidates::fill_top(std::span<const float> scores, double temperature, std::size_t n_best) {
  const std::span<ScoredToken> best = selector_.select(scores, n_best);
  std::sort(best.begin(), best.end(), [](const ScoredToken& left, const ScoredToken& right) {
    return left.token < right.token;
  });
  resize(best.size());
  for (std::size_t i = 0; i < size_; ++i) {
    tokens_[i] = best[i].token;
    scores_[i] = best[i].score;
  }
  const std::span<const float> taken(scores_.data(), size_);
  best_ = max_value(taken);
  total_ = exp_weights(taken, best_, temperature, {weights_.data(), size_});
}

void Candidates::fill_all(std::span<const float> scores, double temperature, double top_p) {
  resize(scores.size());
  best_ = max_value(scores);
  total_ = exp_weights(scores, best_, temperature, {weights_.data(), size_});
  // Tokens that each weigh less than the n-th part of what top-p drops are dropped
  // together; half of that leaves room for rounding.
  const double negligible = 0.5 * (1.0 - top_p) * total_ / static_cast<double>(scores.size());
  constexpr std::size_t kBlock = 64;
  if (negligible <= 0) {  // nothing is
    std::copy(scores.begin(), scores.end(), scores_.begin());
    std::iota(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(size_), 0);
    return;
  }
  size_ = 0;
  for (std::size_t begin = 0; begin < scores.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, scores.size());
    int n_taken = 0;
    for (std::size_t i = begin; i < end; ++i) n_taken += weights_[i] >= negligible ? 1 : 0;
    if (n_taken == 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      tokens_[size_] = static_cast<std::int32_t>(i);
      scores_[size_] = scores[i];
      weights_[size_] = weights_[i];
      size_ += weights_[i] >= negligible ? 1 : 0;
    }
  }
}

void Candidates::keep_first(std::span<const float> ranks, double target) {
  const Cutoff cutoff = find_cutoff(ranks, {weights_.data(), size_}, target);
  double sum = cutoff.weight_before;
  bool none_kept = true;  // of those at the cutoff: one must be
  keep_if([&](std::size_t i) {
    const std::uint32_t key = falling_key(ranks[i]);
    if (key != cutoff.key) return key < cutoff.key;
    if (sum >= target && !none_kept) return false;
    sum += weights_[i];
    none_kept = false;
    return true;
  });
}

void Candidates::keep_typical(double typical_p) {
  if (typical_p >= 1.0) return;
  // log p = (score - best) / temperature - log(total): exact also where p is 0 as a double.
  const double log_total = std::log(total_);
  const auto log_weight = [&](std::size_t i) {
    return (static_cast<double>(scores_[i]) - best_) / temperature_;
  };
  double weighed = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (weights_[i] > 0) weighed += weights_[i] * log_weight(i);
  }
  const double entropy = log_total - weighed / total_;
  if (oddity_.size() < size_) oddity_.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const double surprisal = log_total - log_weight(i);
    const double difference = std::abs(surprisal - entropy);  // infinite, where p is 0
    oddity_[i] = -static_cast<float>(std::min(difference, kLargestFloat));
  }
  // More than typical_p, where top_p takes as much as is asked for.
  const double target = std::nextafter(typical_p * total_, std::numeric_limits<double>::infinity());
  keep_first({oddity_.data(), size_}, target);
  total_ = 0;
  for (std::size_t i = 0; i < size_; ++i) total_ += weights_[i];
}

void Candidates::keep_top_p(double top_p) {
  if (top_p < 1.0) keep_first({scores_.data(), size_}, top_p * total_);
}

void Candidates::keep_min_p(double min_p) {
  if (min_p <= 0.0) return;
  double best = 0;
  for (std::size_t i = 0; i < size_; ++i) best = std::max(best, weights_[i]);
  keep_if([&](std::size_t i) { return weights_[i] >= min_p * best; });
}

std::int32_t Candidates::pick(double uniform) const {
  double kept = 0;
  for (std::size_t i = 0; i < size_; ++i) kept += weights_[i];
  const double target = uniform * kept;
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    sum += weights_[i];
    if (target < sum) return tokens_[i];
  }
  CHECK(false, "uniform {} kept {}", uniform, kept);
  return 0;
}

bool Candidates::are_several() const {
  int n = 0;
  for (std::size_t i = 0; i < size_ && n < 2; ++i) n += weights_[i] > 0 ? 1 : 0;
  return n > 1;
}

void Candidates::resize(std::size_t size) {
  size_ = size;
  if (tokens_.size() >= size) return;
  tokens_.resize(size);
  scores_.resize(size);
  weights_.resize(size);
}

template <typename Keep>
void Candidates::keep_if(Keep keep) {
  std::size_t n_kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (!keep(i)) continue;
    tokens_[n_kept] = tokens_[i];
    scores_[n_kept] = scores_[i];
    weights_[n_kept] = weights_[i];
    ++n_kept;
  }
  size_ = n_kept;
}

}  // namespace pleiad::sampling
