#pragma once

#include <functional>

#include "model/audio_encoder.h"
#include "model/vision_encoder.h"

namespace pleiad {

class LoadedModel;

/// What encodes pictures and sound, each called when it is first needed. Throw where it cannot be
/// had.
struct MediaTowers {
  std::function<VisionEncoder&()> vision;
  std::function<AudioEncoder&()> audio;
};

/// Those that are given, the model's own for the others. `model` must outlive what is returned.
MediaTowers towers_of(LoadedModel& model, MediaTowers given);

}  // namespace pleiad
