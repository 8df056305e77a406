#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "media/streams/stream_format.h"

// What failures about files of sound and video begin with.
namespace pleiad::media {

/// "a WAV file", "an MP3 file"
std::string with_article(StreamFormat format);

/// "is no sound: expected WAV, ..., found 12 bytes that begin 89 50"
std::string no_stream(std::span<const std::byte> bytes, std::string_view kind);

}  // namespace pleiad::media
