#pragma once

#include "base/json.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// The config.json of a text model (Gemma4ForCausalLM), from whatever the model was read
/// from. `dtype` is "bfloat16" and so on. What reads it finds the same configuration.
Json make_hf_config(const Checkpoint& source, const char* dtype);

/// Its generation_config.json: defaults for sampling, and the tokens that end a reply.
Json make_generation_config(const Checkpoint& source);

}  // namespace pleiad::convert
