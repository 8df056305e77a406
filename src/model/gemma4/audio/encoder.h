#pragma once

#include <memory>

#include "model/gemma4/audio/tower.h"

namespace pleiad::gemma4 {

/// What makes soft tokens of sounds for this checkpoint, which has one: a tower, or the 12B's
/// embedder. As their constructors say.
std::unique_ptr<AudioEncoder> make_audio_encoder(const Checkpoint& checkpoint, Backend& backend,
                                                 const AudioOptions& options,
                                                 const LoadProgress& progress = {});

}  // namespace pleiad::gemma4
