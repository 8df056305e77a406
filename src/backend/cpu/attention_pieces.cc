#include "backend/cpu/attention_pieces.h"

#include <algorithm>
#include <cmath>

#include "base/round_up.h"

namespace pleiad::cpu {

std::int64_t piece_positions(std::int64_t page_tokens) {
  constexpr std::int64_t kPiecePositions = 256;
  return rounded_up(kPiecePositions, page_tokens);
}

void join(AttentionPart& all, const AttentionPart& next, int head_dim,
          const kernels::Kernels& kernels) {
  if (next.total == 0.0F) return;
  if (all.total == 0.0F) {
    if (next.sum != all.sum) std::copy_n(next.sum, head_dim, all.sum);
    all.maximum = next.maximum;
    all.total = next.total;
    return;
  }
  const float maximum = std::max(all.maximum, next.maximum);
  const float before = std::exp(all.maximum - maximum);
  const float now = std::exp(next.maximum - maximum);
  kernels.axpby(all.sum, before, all.sum, now, next.sum, head_dim);
  all.total = all.total * before + next.total * now;
  all.maximum = maximum;
}

}  // namespace pleiad::cpu
