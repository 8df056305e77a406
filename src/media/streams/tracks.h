#pragma once

#include <cstddef>
#include <span>

#include "media/streams/stream_format.h"

namespace pleiad::media {

/// Whether one of its tracks is a video, by the description that a container has of them: `moov` of
/// MP4, `Tracks` of Matroska, the first pages of Ogg. AVI and MPEG-TS are videos. Where there is no
/// description to be found, MP4 and Matroska are taken for videos, Ogg for a sound. M4A and M4B are
/// sounds whatever is in them (covers, pictures of chapters).
bool has_video_track(StreamFormat format, std::span<const std::byte> bytes);

}  // namespace pleiad::media
