#pragma once

#include "fit/machine.h"
#include "tensor/dtype.h"

namespace pleiad::fit {

// How much of a machine's limits Pleiad reaches, and what it spends beside them.
// docs/fit.md says which of these were measured, and where, which follow from others and
// which are estimates (Q4_1 and Q5_1; all of NEON and of the plain code, which are taken for AVX2).

/// Of the read bandwidth, while a token is decoded with weights of this type.
double decode_share(DType type, KernelSet kernels);
/// The same while keys and values are read.
inline constexpr double kKvShare = 0.4;

/// What the loops of an instruction set reach.
struct KernelCosts {
  /// Of a decoded token, a layer: norms, gating, what one thread does alone, barriers.
  double layer_seconds;
  /// Of the matrix rate, in a prompt's attention.
  double attention_share;
  /// Of a prompt's row, for each value that is normed, gated or rounded.
  double value_seconds;
};
const KernelCosts& costs_of(KernelSet kernels);

/// Of the matrix rate, while a prompt meets weights of this type.
double prompt_share(DType type, KernelSet kernels);

/// How far off predictions may be, as a part of them.
struct Errors {
  double decode = 0;
  double prefill = 0;
};
Errors prediction_errors(KernelSet kernels, bool has_experts);

}  // namespace pleiad::fit
