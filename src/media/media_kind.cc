#include "media/media_kind.h"

#include "media/byte_reader.h"
#include "media/picture_format.h"
#include "media/streams/stream_format.h"
#include "media/streams/tracks.h"

namespace pleiad::media {

std::string_view kind_name(MediaKind kind) {
  switch (kind) {
    case MediaKind::picture:
      return "picture";
    case MediaKind::sound:
      return "sound";
    case MediaKind::video:
      return "video";
    case MediaKind::document:
      return "document";
  }
  return "medium";
}

std::optional<MediaKind> sniff_media(std::span<const std::byte> bytes) {
  if (begins_with(bytes, "%PDF-")) return MediaKind::document;
  // Pictures are told by more than two bytes each, but for BMP, which no stream begins like.
  if (sniff_picture(bytes)) return MediaKind::picture;
  const std::optional<StreamFormat> format = sniff_stream(bytes);
  if (!format) return std::nullopt;
  return has_video_track(*format, bytes) ? MediaKind::video : MediaKind::sound;
}

}  // namespace pleiad::media
