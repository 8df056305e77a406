#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/media/media_prompt.h"
#include "media/prepare.h"
#include "media/sound/sound.h"
#include "media/video/video.h"

namespace pleiad::serving {

/// Makes what towers are given of pixels and samples, and counts their memory where that is
/// limited. May throw.
struct MediaHold {
  std::function<std::shared_ptr<const PictureInput>(media::Pixels)> picture;
  std::function<std::shared_ptr<const SoundInput>(std::vector<float>)> sound;
};

/// Counts nothing.
MediaHold plain_hold();

/// As models are shown what was read.
ShownMedia show(media::PreparedPicture picture, const VisionPrompt& vision, const MediaHold& hold);
/// In clips that the tower takes; without parts where the sound is too short to be heard.
ShownMedia show(media::PreparedSound sound, const AudioPrompt& audio, const MediaHold& hold);
/// Its frames, then its sound where it has some (and the model hears).
ShownMedia show(media::PreparedVideo video, const PromptTowers& towers, const MediaHold& hold);

/// Samples at the end of a sound that are in none of its clips, for they are too few for a token.
std::int64_t unheard_samples(std::int64_t n_samples, const AudioPrompt& audio);

}  // namespace pleiad::serving
