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
  /// `top_p` must be that of the next keep_top_p(), or 1 where keep_typical() comes before it:
  /// tokens that it surely drops are not taken in at all.
  void fill(std::span<const float> scores, double temperature, int top_k, double top_p);

  /// Locally typical sampling (Meister et al., "Locally Typical Sampling", TACL 2023,
  /// arXiv:2202.00666): with H = -sum p log p, the entropy of the candidates, those come first
  /// whose surprisal -log p is nearest to H; of these so many are kept, the nearest first, as
  /// together have more than typical_p of the probability. The likeliest token may be dropped:
  /// it can be too likely. Differences are compared as floats; equal ones rank by the lower id.
  /// 1: all are kept. To be called right after fill().
  void keep_typical(double typical_p);

  /// Keeps the smallest set of best tokens that holds at least top_p of the
  /// probability of those that there are.
  void keep_top_p(double top_p);

  /// Keeps tokens of at least min_p times the probability of the best one that is left.
  void keep_min_p(double min_p);

  /// The token at `uniform` (in [0, 1)) of the line on which the candidates lie
  /// side by side in order of their ids.
  std::int32_t pick(double uniform) const;

  std::span<const std::int32_t> tokens() const { return {tokens_.data(), size_}; }

  /// Whether more than one of them has any weight.
  bool are_several() const;

 private:
  void fill_top(std::span<const float> scores, double temperature, std::size_t n_best);
  void fill_all(std::span<const float> scores, double temperature, double top_p);
  void resize(std::size_t size);
  /// Keeps the first ones, by `ranks` (the highest first), that together reach `target` of weight.
  void keep_first(std::span<const float> ranks, double target);
  template <typename Keep>
  void keep_if(Keep keep);

  TopSelector selector_;
  std::size_t size_ = 0;
  double temperature_ = 1;            // of the last fill()
  float best_ = 0;                    // the highest score of the last fill()
  double total_ = 0;                  // of all weights before top-p
  std::vector<std::int32_t> tokens_;  // first size_ are candidates, rising
  std::vector<float> scores_;         // theirs
  std::vector<double> weights_;       // theirs; the best token of fill() weighs 1
  std::vector<float> oddity_;         // of keep_typical(): how far from typical, negative
};

}  // namespace pleiad::sampling
