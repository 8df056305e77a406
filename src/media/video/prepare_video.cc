#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "media/budget.h"
#include "media/byte_reader.h"
#include "media/ffmpeg/input.h"
#include "media/pick_kernels.h"
#include "media/row_resizer.h"
#include "media/sound/sound_track.h"
#include "media/streams/bad_stream.h"
#include "media/streams/stream_format.h"
#include "media/streams/unread.h"
#include "media/video/frame_decoder.h"
#include "media/video/frame_pixels.h"
#include "media/video/video.h"
#include "media/video/video_packets.h"

namespace pleiad::media {
namespace {

/// GIF is a picture unless somebody asks for a video.
std::optional<StreamFormat> sniff_video(std::span<const std::byte> bytes) {
  if (begins_with(bytes, "GIF87a") || begins_with(bytes, "GIF89a")) return StreamFormat::gif;
  return sniff_stream(bytes);
}

AVStream& video_track(StreamInput& input) {
  AVStream* const track = input.choose(AVMEDIA_TYPE_VIDEO);
  // The cover of an album is none.
  if (track == nullptr || (track->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
    throw BadStream("has no video");
  }
  return *track;
}

/// Decodes the frames that are shown and resizes them, all to the size that the first asks for.
class FrameReader {
 public:
  FrameReader(const AVStream& track, const VideoPackets& packets, const VideoLimits& limits)
      : decoder_(track, packets, limits),
        orientation_(orientation_of(track)),
        limits_{limits.max_pixels, limits.max_side, 0} {}

  /// Throws BadStream, BadPicture.
  Pixels read(std::int64_t frame, PreparedVideo& video) {
    const AVFrame& decoded = decoder_.decode(frame);
    RowResizer resizer(
        [&](PictureSize upright) {
          if (video.frames.empty()) video.original = upright;
          return target_size(video.original, video.budget);
        },
        best_kernels());
    pixels_.write(decoded, orientation_, limits_, resizer);
    return resizer.take();
  }

 private:
  FrameDecoder decoder_;
  FramePixels pixels_;
  Orientation orientation_;
  DecodeLimits limits_;
};

void check_size_of_track(const AVStream& track, const VideoLimits& limits) {
  const auto side = [](int n) { return static_cast<std::uint64_t>(std::max(n, 0)); };
  if (track.codecpar->width <= 0 || track.codecpar->height <= 0) {
    throw BadStream("does not say how large its frames are, or they are too large to be read");
  }
  check_size(side(track.codecpar->width), side(track.codecpar->height),
             {limits.max_pixels, limits.max_side, 0});
}

PreparedVideo read_video(std::span<const std::byte> bytes, StreamFormat format,
                         const VideoOptions& options, const VideoLimits& limits) {
  StreamInput input(bytes, format);
  const AVStream& track = video_track(input);
  check_size_of_track(track, limits);
  PreparedVideo video;
  video.format = describe(format, track.codecpar->codec_id);
  video.budget = options.budget;
  const VideoPackets packets(input, track, limits);
  video.total_frames = packets.n_frames();
  video.fps = packets.fps();
  video.seconds = static_cast<double>(video.total_frames) / video.fps;
  FrameReader reader(track, packets, limits);
  const std::int64_t n = std::min<std::int64_t>(options.n_frames, video.total_frames);
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t index = frame_index(k, n, video.total_frames);
    Pixels pixels = reader.read(index, video);
    video.frames.push_back({index, static_cast<double>(index) / video.fps, std::move(pixels)});
  }
  video.n_soft_tokens = soft_tokens(video.frames.front().pixels.size);
  return video;
}

}  // namespace

Result<PreparedVideo> prepare_video(std::span<const std::byte> bytes, const VideoOptions& options,
                                    const VideoLimits& limits) {
  if (auto refused = refuse_options(options)) return *std::move(refused);
  const std::optional<StreamFormat> format = sniff_video(bytes);
  if (!format) return Failure{no_stream(bytes, "video")};
  try {
    PreparedVideo video = read_video(bytes, *format, options, limits);
    if (options.sound) {
      StreamInput again(bytes, *format);
      video.sound = read_sound_track(again, limits.sound);
    }
    return video;
  } catch (const BadStream& error) {
    return Failure{fmt::format("is {} that {}", with_article(*format), error.what())};
  } catch (const BadPicture& error) {  // a frame that is too large
    return Failure{fmt::format("is {} that {}", with_article(*format), error.what())};
  } catch (const std::bad_alloc&) {
    return Failure{
        fmt::format("is {} that needs more memory than a video may have", with_article(*format))};
  }
}

}  // namespace pleiad::media
