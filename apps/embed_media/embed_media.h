#pragma once

#include <string>

#include "apps/common/model_flags.h"
#include "model/checkpoint.h"

namespace pleiad::apps {

struct EmbedMediaFlags {
  ModelFlags model;
  // One of the three.
  std::string image;
  std::string audio;
  std::string video;
  int n_frames = 0;  // of the video; 0: the model's own number
  std::string budget;
  std::string out;
};

inline constexpr int kTowerRows = 512;  // of one operation

/// Write the file that the flags name and say what it holds. Throw Error that names what is wrong
/// with the model or the medium.
void embed_pictures(const EmbedMediaFlags& flags, const Checkpoint& checkpoint,
                    const Environment& environment);
void embed_sound(const EmbedMediaFlags& flags, const Checkpoint& checkpoint,
                 const Environment& environment);

}  // namespace pleiad::apps
