#pragma once

#include <string_view>
#include <vector>

#include "model/gemma4/audio/config.h"
#include "model/gemma4/tensor_table.h"
#include "tensor/host_tensor.h"

namespace pleiad::gemma4 {

/// Every tensor of a tower (or embedder) of this configuration with its projector, the one place
/// that knows their names and shapes. Our names begin with "audio.":
/// "audio.layers.3.attention.q_proj".
std::vector<EncoderTensorSpec> audio_tensor_table(const AudioConfig& config);

/// The clipped matrices of a layer.
inline constexpr std::string_view kAudioClippedLinears[] = {
    "ffn1.up_proj",     "ffn1.down_proj",   "attention.q_proj", "attention.k_proj",
    "attention.v_proj", "attention.o_proj", "conv.start",       "conv.end",
    "ffn2.up_proj",     "ffn2.down_proj"};

}  // namespace pleiad::gemma4
