#pragma once

#include <string>
#include <string_view>

#include "model/gemma4/config.h"

namespace pleiad::gguf {
class File;
}

namespace pleiad::gemma4 {

/// The text model of a Hugging Face config.json: Gemma4ForConditionalGeneration
/// (under text_config) or Gemma4ForCausalLM (flat), or the Gemma4Unified classes of
/// the 12B. `file` names it in messages.
/// Throws one LoadError with everything that is wrong.
Config config_from_json(std::string_view json, const std::string& file);

/// The model of a GGUF file of architecture gemma4: from its metadata, and from
/// its tensors where the metadata does not say.
Config config_from_gguf(const gguf::File& file);

}  // namespace pleiad::gemma4
