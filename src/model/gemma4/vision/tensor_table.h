#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gemma4/tensor_table.h"
#include "model/gemma4/vision/config.h"
#include "tensor/host_tensor.h"

namespace pleiad::gemma4 {

/// Every tensor of a tower (or embedder) of this configuration with its projector, the one place
/// that knows their names and shapes. Our names begin with "vision.":
/// "vision.layers.3.attention.q_proj". Its clip bounds are tensors of one value,
/// "vision.layers.3.attention.q_proj.input_min".
std::vector<EncoderTensorSpec> vision_tensor_table(const VisionConfig& config);

/// What may stand before EncoderTensorSpec::hf_name, depending on who saved the file; the first
/// is that of the released files.
inline constexpr std::string_view kHfVisionPrefixes[] = {"model.", ""};

/// The clipped matrices of a layer, and their bounds, in the order of "v.clamp_data": a tensor of
/// some GGUF files, [n_layers * 7 + 1, 4], that holds all bounds (and four unused values last).
inline constexpr std::string_view kClippedLinears[] = {
    "attention.q_proj", "attention.k_proj", "attention.v_proj", "attention.o_proj",
    "ffn.gate_proj",    "ffn.up_proj",      "ffn.down_proj"};
inline constexpr std::string_view kClipBounds[] = {"input_min", "input_max", "output_min",
                                                   "output_max"};
inline constexpr std::string_view kClampData = "v.clamp_data";

}  // namespace pleiad::gemma4
