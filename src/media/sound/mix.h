#pragma once

#include <vector>

#include "media/ffmpeg/api.h"

namespace pleiad::media {

/// The mean of the frame's channels, appended; full scale of integers is 1, unsigned bytes are
/// around 128. In float32, channel by channel: the sums that numpy's mean has. False for a type of
/// samples that FFmpeg came up with later.
bool append_mean_of_channels(const AVFrame& frame, std::vector<float>& samples);

}  // namespace pleiad::media
