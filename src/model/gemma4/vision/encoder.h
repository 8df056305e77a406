#pragma once

#include <memory>

#include "model/gemma4/vision/tower.h"

namespace pleiad::gemma4 {

/// What makes soft tokens of pictures for this checkpoint, which has one: a tower, or the 12B's
/// embedder. As their constructors say.
std::unique_ptr<VisionEncoder> make_vision_encoder(const Checkpoint& checkpoint, Backend& backend,
                                                   const VisionOptions& options,
                                                   const LoadProgress& progress = {});

}  // namespace pleiad::gemma4
