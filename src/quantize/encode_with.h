#pragma once

#include <cstddef>
#include <span>

#include "quantize/encode.h"
#include "quantize/kernels/kernels.h"

namespace pleiad::quantize {

/// encode_row with the encoders of one instruction set.
void encode_row_with(const Kernels& kernels, const EncodeOptions& options,
                     std::span<const float> values, std::byte* out, std::byte* block_scales);

}  // namespace pleiad::quantize
