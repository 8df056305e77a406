#pragma once

#include <span>

#include "media/ffmpeg/api.h"

// Which of FFmpeg's decoders are used. It has several hundreds, many of them for formats that
// nobody records in any more and that nobody looks after: whatever is not named here is refused
// before a byte of it is decoded.
namespace pleiad::media {

struct KnownDecoder {
  AVCodecID codec;
  const char* decoder;          // FFmpeg's name of the one to use
  const char* name;             // for people
  const char* other = nullptr;  // where it was built without that one
};

std::span<const KnownDecoder> known_sound_decoders();
std::span<const KnownDecoder> known_video_decoders();

/// Null: it is not known.
const KnownDecoder* known_decoder(AVCodecID codec);

/// All of their names, as FFmpeg's lists are.
std::string list_of_decoders();

}  // namespace pleiad::media
