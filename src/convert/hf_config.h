#pragma once

#include "base/json.h"
#include "convert/hf_tower_config.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// The config.json of a text model (Gemma4ForCausalLM) from whatever the model was read from.
/// `dtype` is "bfloat16" and so on. What reads it finds the same configuration.
Json make_text_config(const Checkpoint& source, const char* dtype);

/// The config.json of a folder that is read.
Json read_config_of(const Checkpoint& source);

/// That of a model with towers, `text` in it (Gemma4ForConditionalGeneration, or the 12B's class).
Json with_encoders(const Checkpoint& source, Json text, const FolderEncoders& encoders);

/// Names the tokens that stand for pictures and sounds of these towers in a prompt; what `json`, a
/// config.json, says of them already stays.
void name_encoder_tokens(const Checkpoint& source, const FolderEncoders& encoders, Json& json);

/// The generation_config.json: defaults for sampling, and the tokens that end a reply.
Json make_generation_config(const Checkpoint& source);

}  // namespace pleiad::convert
