#pragma once

#include <cstdint>
#include <optional>

#include "fit/machine.h"
#include "fit/predict.h"
#include "model/gemma4/tensor_table.h"

// What the work of both towers shares.

namespace pleiad::fit {

/// Of a tensor in a projector file whose matrices are bf16.
std::uint64_t stored_bytes(const gemma4::EncoderTensorSpec& spec);

/// Seconds, and between which they are expected:
///   operations of matrices / (matrix rate * prompt_share(bf16))
///   + those of attention / (matrix rate * attention_share)
/// Nothing where the matrix rate is not known.
std::optional<Rate> predict_encoding_seconds(const Machine& machine, double matrix_operations,
                                             double attention_operations);

}  // namespace pleiad::fit
