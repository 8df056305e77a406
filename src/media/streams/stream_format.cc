#include "media/streams/stream_format.h"

#include <algorithm>

#include "media/byte_reader.h"
#include "media/streams/audio_frames.h"

namespace pleiad::media {
namespace {

using namespace std::string_view_literals;

/// What QuickTime files without `ftyp` begin with; theirs is the size before.
bool begins_with_old_box(std::span<const std::byte> bytes) {
  for (const std::string_view box : {"moov"sv, "mdat"sv, "wide"sv}) {
    if (begins_with(bytes, box, 4)) return true;
  }
  return false;
}

/// By the type of document in its header, which is short.
StreamFormat matroska_kind(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeader = 64;
  for (std::size_t at = 4; at < std::min(kHeader, bytes.size()); ++at) {
    if (begins_with(bytes, "\x42\x82\x84webm"sv, at)) return StreamFormat::webm;
  }
  return StreamFormat::matroska;
}

/// Packets of 188 bytes, each of which begins with 0x47.
bool is_transport_stream(std::span<const std::byte> bytes) {
  constexpr std::size_t kPacket = 188;
  constexpr std::size_t kLooksAt = 5;
  if (bytes.size() < kPacket * kLooksAt) return false;
  for (std::size_t i = 0; i < kLooksAt; ++i) {
    if (read_u8(bytes, i * kPacket) != 0x47) return false;
  }
  return true;
}

}  // namespace

std::string_view format_name(StreamFormat format) {
  switch (format) {
    case StreamFormat::wav:
      return "WAV";
    case StreamFormat::aiff:
      return "AIFF";
    case StreamFormat::flac:
      return "FLAC";
    case StreamFormat::mpeg:
      return "MP3";
    case StreamFormat::adts:
      return "AAC";
    case StreamFormat::ogg:
      return "Ogg";
    case StreamFormat::mp4:
      return "MP4";
    case StreamFormat::matroska:
      return "Matroska";
    case StreamFormat::webm:
      return "WebM";
    case StreamFormat::avi:
      return "AVI";
    case StreamFormat::mpegts:
      return "MPEG-TS";
    case StreamFormat::gif:
      return "GIF";
  }
  return "stream";
}

std::optional<StreamFormat> sniff_stream(std::span<const std::byte> bytes) {
  // RIFX, whose numbers are the other way round, is none: FFmpeg reads its samples as noise.
  if (begins_with(bytes, "RIFF"sv) || begins_with(bytes, "RF64"sv)) {
    if (begins_with(bytes, "WAVE"sv, 8)) return StreamFormat::wav;
    if (begins_with(bytes, "AVI "sv, 8)) return StreamFormat::avi;
    return std::nullopt;
  }
  if (begins_with(bytes, "FORM"sv) &&
      (begins_with(bytes, "AIFF"sv, 8) || begins_with(bytes, "AIFC"sv, 8))) {
    return StreamFormat::aiff;
  }
  if (begins_with(bytes, "OggS"sv)) return StreamFormat::ogg;
  if (begins_with(bytes, "ftyp"sv, 4) || begins_with_old_box(bytes)) return StreamFormat::mp4;
  if (begins_with(bytes, "\x1A\x45\xDF\xA3"sv)) return matroska_kind(bytes);
  if (is_transport_stream(bytes)) return StreamFormat::mpegts;
  const std::span<const std::byte> sound = bytes.subspan(id3_size(bytes));
  if (begins_with(sound, "fLaC"sv)) return StreamFormat::flac;
  if (finds_frames(sound, mpeg_frame_size)) return StreamFormat::mpeg;
  if (finds_frames(sound, adts_frame_size)) return StreamFormat::adts;
  return std::nullopt;
}

}  // namespace pleiad::media
