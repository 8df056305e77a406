#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sampling/top_selector.h"

namespace pleiad::sampling {

/// The tokens that may still be chosen, in order of their ids, with weights in
/// proportion to their probabilities. Every filter keeps at least the best token
/// and works in linear time: nothing is sorted by score.
class Candidates {
 public:
  /// The top_k best tokens (0: all), weighed by softmax(scores / temperature).
  /// `top_p` must be that of the next keep_top_p(): tokens that it surely drops
  /// are not taken in at all.
  void fill(std::span<const float> scores, double temperature, int top_k, double top_p);

  /// Keeps the smallest set of best tokens that holds at least top_p of the
  /// probability of those filled in.
  void keep_top_p(double top_p);

  /// Keeps tokens of at least min_p times the probability of the best one.
  void keep_min_p(double min_p);

  /// The token at `uniform` (in [0, 1)) of the line on which the candidates lie
  /// side by side in order of their ids.
  std::int32_t pick(double uniform) const;

  std::span<const std::int32_t> tokens() const { return {tokens_.data(), size_}; }

 private:
  void fill_top(std::span<const float> scores, double temperature, std::size_t n_best);
  void fill_all(std::span<const float> scores, double temperature, double top_p);
  void resize(std::size_t size);
  template <typename Keep>
  void keep_if(Keep keep);

  TopSelector selector_;
  std::size_t size_ = 0;
  double total_ = 0;                  // of all weights before top-p
  std::vector<std::int32_t> tokens_;  // first size_ are candidates, rising
  std::vector<float> scores_;         // theirs
  std::vector<double> weights_;       // theirs; the best token weighs 1
};

}  // namespace pleiad::sampling
