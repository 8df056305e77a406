#pragma once

#include <string>
#include <vector>

#include "synthetic/dimensions.h"
#include "synthetic/spec.h"
#include "tensor/host_tensor.h"

namespace pleiad::synthetic {

/// A tensor of a synthetic file and what its values are like.
struct SyntheticTensor {
  std::string name;  // GGUF's
  DType type = DType::f32;
  Shape shape;                    // outermost first
  float mean = 0;                 // f32 only; the other types are centred on 0
  float deviation = 0;            // standard deviation of the values
  std::vector<float> given = {};  // these values instead of random ones; f32 only
};

/// Name of the table of per-layer embeddings, of which a token reads one row.
inline constexpr std::string_view kPerLayerTable = "per_layer_token_embd.weight";

/// All tensors of a file, in its order. The deviations are such that activations
/// neither vanish nor overflow: matrices keep the size of what they multiply, and
/// norms after a branch damp what it adds.
std::vector<SyntheticTensor> tensor_list(const Spec& spec, const Dimensions& dimensions);

}  // namespace pleiad::synthetic
