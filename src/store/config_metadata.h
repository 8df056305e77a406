#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "model/gemma4/config.h"
#include "model/gemma4/vision/config.h"

namespace pleiad::store {

/// The keys that a GGUF file of this model would have ("gemma4.block_count"), for models that are
/// none: lists where layers differ, else one number for all.
std::map<std::string, Json> config_metadata(const gemma4::Config& config);

/// The keys that a projector file with this tower would have ("clip.vision.block_count").
std::map<std::string, Json> projector_metadata(const gemma4::VisionConfig& config);

}  // namespace pleiad::store
