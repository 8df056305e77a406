#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/gemma4/config.h"
#include "tensor/host_tensor.h"

namespace pleiad::gemma4 {

/// One tensor that the model needs, under its three names.
struct TensorSpec {
  std::string name;       // ours: "layers.3.attention.q_proj"
  std::string gguf_name;  // "blk.3.attn_q.weight"
  std::string hf_name;    // "layers.3.self_attn.q_proj.weight", after the prefix
  Shape shape;
};

/// One tensor of a tower or embedder.
struct EncoderTensorSpec : TensorSpec {
  /// As a GGUF file lists it: a patch embedding is a convolution's there, convolutions over time
  /// have no dimension of one; the rest as `shape`.
  Shape gguf_shape;
  /// A clip bound: where it is absent there is none (infinity).
  bool optional = false;
};

/// How the up and gate projections of the experts are stored: in one tensor, or
/// (some GGUF files) in two.
enum class ExpertsLayout : std::uint8_t { fused, split };

/// Every tensor of a model of this configuration, the one place that knows their
/// names and shapes. A tensor that this configuration does not have is not in it.
std::vector<TensorSpec> tensor_table(const Config& config,
                                     ExpertsLayout experts = ExpertsLayout::fused);

/// What may stand before TensorSpec::hf_name, depending on who saved the file.
inline constexpr std::string_view kHfPrefixes[] = {"model.language_model.", "model.",
                                                   "language_model.model.", "language_model.", ""};

/// What a tensor that is not in the table is.
enum class UnusedKind : std::uint8_t { vision, audio, dead_kv, ignored, unknown };

/// `name` as in a GGUF or a Hugging Face file. dead_kv: the projections of layers
/// that share keys and values, which some files keep; ignored: of no interest.
UnusedKind classify_unused(const Config& config, std::string_view name);

}  // namespace pleiad::gemma4
