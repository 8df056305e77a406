#pragma once

#include "base/json.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// The config.json of a text model (Gemma4ForCausalLM), or with its vision tower
/// (Gemma4ForConditionalGeneration), from whatever the model was read from. `dtype` is
/// "bfloat16" and so on. What reads it finds the same configuration.
Json make_hf_config(const Checkpoint& source, const char* dtype, bool with_tower);

/// Its vision_config.
Json make_vision_config(const gemma4::VisionConfig& config);

/// The processor_config.json of a model that sees: how pictures are resized, and to how many
/// soft tokens; and how sounds are cut, where its embedder of them (null: none) is written too.
Json make_processor_config(const gemma4::VisionConfig& config,
                           const gemma4::AudioConfig* embedder = nullptr);

/// Its generation_config.json: defaults for sampling, and the tokens that end a reply.
Json make_generation_config(const Checkpoint& source);

}  // namespace pleiad::convert
