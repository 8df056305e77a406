#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleiad::sampling {

struct ScoredToken {
  std::int32_t token = 0;
  float score = 0;

  bool operator==(const ScoredToken&) const = default;
};

/// The order of preference everywhere: the higher score, then the lower id.
constexpr bool ranks_before(const ScoredToken& left, const ScoredToken& right) {
  return left.score != right.score ? left.score > right.score : left.token < right.token;
}

/// Finds the best tokens in one pass over the scores, without sorting them.
/// Keeps its scratch memory from call to call.
class TopSelector {
 public:
  /// The min(n_best, scores.size()) best tokens, in no particular order; valid
  /// until the next call. Scores are finite.
  std::span<ScoredToken> select(std::span<const float> scores, std::size_t n_best);

 private:
  std::vector<ScoredToken> kept_;
};

}  // namespace pleiad::sampling
