#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "backend/backend.h"

namespace pleiad::gemma4 {

/// Bytes of floats [rows, cols], so that what follows begins on a cache line.
std::size_t tensor_room(std::int64_t rows, std::int64_t cols);

/// A tensor that is given its room.
struct TensorPart {
  Tensor* tensor;
  std::int64_t rows;
  std::int64_t cols;
};

/// One buffer with the room of all of them, one after the other.
std::unique_ptr<Buffer> allocate_tensors(Backend& backend, std::span<const TensorPart> parts,
                                         Taken taken = Taken::at_once);

}  // namespace pleiad::gemma4
