#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/picture.h"
#include "media/sound/sound.h"

namespace pleiad::media {

/// Soft tokens of all frames of one video at most: 276 MB of pixels.
inline constexpr std::int64_t kMaxVideoTokens = 40'000;

/// Frames of a second: what is less or more is damage.
inline constexpr double kMinFps = 1e-4;
inline constexpr double kMaxFps = 1e5;
/// Where a file does not tell.
inline constexpr double kUnknownFps = 24;

struct VideoOptions {
  int n_frames = 32;   // that are shown at most, all where there are fewer
  int budget = 70;     // of kBudgets (media/budget.h): soft tokens of each
  bool sound = false;  // the sound track too
};

/// Why no video can be prepared so; nothing where it can.
std::optional<Failure> refuse_options(const VideoOptions& options);

/// What a video may cost.
struct VideoLimits {
  std::uint64_t max_pixels = 36'000'000;  // of a frame: 8K
  int max_side = 16'384;
  std::int64_t max_total_frames = 1'000'000;
  SoundLimits sound;
};

struct VideoFrame {
  std::int64_t index = 0;  // among the frames of the video, in the order of their display
  double seconds = 0;      // index / fps
  Pixels pixels;
};

/// A video as a tower sees it: frames k * total_frames / n, all of one size.
struct PreparedVideo {
  std::string format;    // for people: "H.264 in MP4"
  PictureSize original;  // upright
  double fps = 0;        // on average, 24 where the file does not tell
  double seconds = 0;    // total_frames / fps
  std::int64_t total_frames = 0;
  int budget = 0;                      // soft tokens that each frame was allowed
  int n_soft_tokens = 0;               // of each frame
  std::vector<VideoFrame> frames;      // min(n_frames, total_frames) of them
  std::optional<PreparedSound> sound;  // where it was asked for and there is a track
};

/// The index of frame k of n.
constexpr std::int64_t frame_index(std::int64_t k, std::int64_t n, std::int64_t total_frames) {
  return k * total_frames / n;
}

/// The frames of a video, decoded from the key frames before them, upright, resized as pictures
/// are. A Failure is a sentence without its subject. It decodes in this process. Bytes of strangers
/// go to MediaReader (media/reader.h).
Result<PreparedVideo> prepare_video(std::span<const std::byte> bytes, const VideoOptions& options,
                                    const VideoLimits& limits);

}  // namespace pleiad::media
