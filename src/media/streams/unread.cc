#include "media/streams/unread.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"

namespace pleiad::media {

std::string with_article(StreamFormat format) {
  const std::string_view name = format_name(format);
  // As they are spoken: an em-pee-three, a matroska.
  const bool begins_with_vowel = name.find_first_of("AEIO") == 0 || name.starts_with("MP");
  return fmt::format("{} {} file", begins_with_vowel ? "an" : "a", name);
}

std::string no_stream(std::span<const std::byte> bytes, std::string_view kind) {
  constexpr std::string_view kSounds = "WAV, AIFF, FLAC, MP3, AAC, Ogg, M4A or WebM";
  constexpr std::string_view kVideos = "MP4, MOV, WebM, Matroska, AVI, MPEG-TS, Ogg or GIF";
  if (bytes.empty()) return fmt::format("is not a {}: there are no bytes", kind);
  std::string first;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
    first += fmt::format(" {:02x}", std::to_integer<int>(byte));
  }
  return fmt::format("is not a {}: expected {}, found {} bytes that begin{}", kind,
                     kind == "sound" ? kSounds : kVideos, format_count(bytes.size()), first);
}

}  // namespace pleiad::media
