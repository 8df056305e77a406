#pragma once

#include <optional>

#include "media/ffmpeg/input.h"
#include "media/sound/sound.h"

namespace pleiad::media {

/// The best track of sound; empty where there is none. Throws BadStream.
std::optional<PreparedSound> read_sound_track(StreamInput& input, const SoundLimits& limits);

}  // namespace pleiad::media
