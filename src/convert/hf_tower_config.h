#pragma once

#include "base/json.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/vision/config.h"

namespace pleiad::convert {

/// The towers, or embedders, of a folder; null: it has none.
struct FolderEncoders {
  const gemma4::VisionConfig* vision = nullptr;
  const gemma4::AudioConfig* audio = nullptr;

  bool any() const { return vision != nullptr || audio != nullptr; }
  /// Of the 12B's class, which has embedders in their places.
  bool is_unified() const {
    return vision != nullptr ? vision->is_embedder() : audio != nullptr && audio->is_embedder();
  }
};

/// The vision_config of a config.json, and its audio_config.
Json make_vision_config(const gemma4::VisionConfig& config);
Json make_audio_config(const gemma4::AudioConfig& config);

/// The processor_config.json of a model with these: how pictures are resized, and to how many soft
/// tokens; how sounds are cut, and which features are made of them.
Json make_processor_config(const FolderEncoders& encoders);

}  // namespace pleiad::convert
