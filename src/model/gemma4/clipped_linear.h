#pragma once

#include <initializer_list>
#include <limits>

#include "backend/backend.h"

namespace pleiad::gemma4 {

/// Bounds of a clipped matrix's input or output.
struct ClipBounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  bool clips() const {
    return low > -std::numeric_limits<float>::infinity() ||
           high < std::numeric_limits<float>::infinity();
  }
  bool operator==(const ClipBounds&) const = default;
};

/// out = clamp(clamp(x) * weight^T); most towers have no bounds.
struct ClippedLinear {
  Weight weight;
  ClipBounds input;
  ClipBounds output;

  bool clips() const { return input.clips() || output.clips(); }
};

struct ClippedProduct {
  Tensor out;
  const ClippedLinear* linear;
};

/// All products of one input, at most three; those whose inputs have the same bounds are one
/// operation. `room` is for a clipped input, as large as x, and is not touched where nothing clips.
void clipped_products(Backend& backend, std::initializer_list<ClippedProduct> products, Tensor x,
                      Tensor room);

}  // namespace pleiad::gemma4
