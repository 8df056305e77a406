#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pleiad::media {

/// Files of sound and of moving pictures: those that somebody records, and no lists of other files.
enum class StreamFormat : std::uint8_t {
  wav,   // RIFF, RF64
  aiff,  // AIFF, AIFF-C
  flac,
  mpeg,  // frames of MPEG audio one behind the other: MP3, MP2
  adts,  // frames of AAC one behind the other
  ogg,
  mp4,  // ISO/IEC 14496-12 and QuickTime: MP4, M4A, MOV, 3GP
  matroska,
  webm,  // Matroska that says so
  avi,
  mpegts,
  gif  // as frames; where nobody asks for a video, it is a picture
};

/// "WAV", "MP4" and so on, as errors call it.
std::string_view format_name(StreamFormat format);

/// What the bytes begin like, GIF excepted. Empty: none of these. Headerless frames of MPEG audio
/// and AAC are believed where several follow each other, within the first few kilobytes.
std::optional<StreamFormat> sniff_stream(std::span<const std::byte> bytes);

}  // namespace pleiad::media
