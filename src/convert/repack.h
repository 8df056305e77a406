#pragma once

#include <cstddef>
#include <span>

#include "tensor/dtype.h"

namespace pleiad::convert {

/// True between the two layouts of NVFP4, whose values are the same.
bool is_repack(DType from, DType to);

/// One row of nibbles with their E4M3 scales ([cols / 16]) to GGUF's blocks; cols is
/// a multiple of 64. False where a scale is NaN, which blocks cannot hold.
bool blocks_from_packed(std::span<const std::byte> nibbles, std::span<const std::byte> scales,
                        std::byte* blocks);

/// The other way: writes `nibbles` and `scales`.
void packed_from_blocks(std::span<const std::byte> blocks, std::byte* nibbles, std::byte* scales);

}  // namespace pleiad::convert
