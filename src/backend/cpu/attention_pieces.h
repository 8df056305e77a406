#pragma once

#include <cstdint>

#include "backend/cpu/kernels/kernels.h"

// Attention is computed in pieces of a query's positions, cut at multiples of
// piece_positions() and joined in their order. So its bits are the same whether threads
// divide the pieces, as for a token that is generated, or one goes over all of them for
// several queries, as for a prompt.

namespace pleiad::cpu {

/// Positions of a piece: whole pages.
std::int64_t piece_positions(std::int64_t page_tokens);

/// What attention to some positions gives, as kernels::AttentionArgs says. No positions: a
/// total of 0.
struct AttentionPart {
  float maximum;
  float total;
  float* sum;  // [head_dim]
};

/// Joins to `all` what the positions after its own gave. The first one's sum may lie there already.
void join(AttentionPart& all, const AttentionPart& next, int head_dim,
          const kernels::Kernels& kernels);

}  // namespace pleiad::cpu
