#include "sampling/top_selector.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "sampling/pick_kernels.h"

namespace pleiad::sampling {

std::span<ScoredToken> TopSelector::select(std::span<const float> scores, std::size_t n_best) {
  CHECK(scores.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  n_best = std::min(n_best, scores.size());
  if (n_best == 0) return {};
  // What beats the threshold is kept; whenever the room is full, it is cut back to
  // the n_best and the threshold rises to the worst of them. Later tokens that
  // only equal it have higher ids, hence lose. A room of a multiple of n_best
  // makes the cuts linear in total.
  const std::size_t room = std::max(4 * n_best, 4 * kScanBlock);
  const auto nth = [&] { return kept_.begin() + static_cast<std::ptrdiff_t>(n_best - 1); };
  kept_.reserve(std::min(room, scores.size()));
  kept_.clear();
  float threshold = -std::numeric_limits<float>::infinity();
  const auto find_above = best_kernels().find_above;
  for (std::size_t begin = 0;; begin += kScanBlock) {
    begin = find_above(scores.data(), begin, scores.size(), threshold);
    if (begin >= scores.size()) break;
    const std::size_t end = std::min(begin + kScanBlock, scores.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (!(scores[i] > threshold)) continue;
      kept_.push_back({static_cast<std::int32_t>(i), scores[i]});
      if (kept_.size() < room) continue;
      std::nth_element(kept_.begin(), nth(), kept_.end(), ranks_before);
      kept_.resize(n_best);
      threshold = kept_.back().score;
    }
  }
  if (kept_.size() > n_best) {
    std::nth_element(kept_.begin(), nth(), kept_.end(), ranks_before);
    kept_.resize(n_best);
  }
  return kept_;
}

}  // namespace pleiad::sampling
