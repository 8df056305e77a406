// What a program that was built without FFmpeg's libraries says of sounds and videos.

#include <fmt/format.h>

#include <optional>

#include "media/ffmpeg/libraries.h"
#include "media/sound/sound.h"
#include "media/streams/stream_format.h"
#include "media/streams/unread.h"
#include "media/video/video.h"

namespace pleiad::media {
namespace {

Failure cannot_read(std::span<const std::byte> bytes, std::string_view kind) {
  const std::optional<StreamFormat> format = sniff_stream(bytes);
  if (!format) return Failure{no_stream(bytes, kind)};
  return Failure{fmt::format(
      "is {} that this program cannot read: it was built without FFmpeg's libraries and libsoxr",
      with_article(*format))};
}

}  // namespace

void load_stream_libraries() {}

Result<PreparedSound> prepare_sound(std::span<const std::byte> bytes, const SoundOptions&,
                                    const SoundLimits&) {
  return cannot_read(bytes, "sound");
}

Result<PreparedVideo> prepare_video(std::span<const std::byte> bytes, const VideoOptions& options,
                                    const VideoLimits&) {
  if (auto refused = refuse_options(options)) return *std::move(refused);
  return cannot_read(bytes, "video");
}

}  // namespace pleiad::media
