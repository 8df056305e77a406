// Any bytes at all, decoded as a video with its sound. Whatever is wrong must end in a sentence;
// what is a video must have the frames that were asked for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/budget.h"
#include "media/video/video.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad::media;
  VideoLimits limits;
  limits.max_pixels = 20'000;
  limits.max_total_frames = 200;
  limits.sound.max_seconds = 2;
  const auto prepared = prepare_video(std::as_bytes(std::span(data, size)), {3, 70, true}, limits);
  if (!prepared.ok()) {
    if (prepared.message().empty()) std::abort();
    return 0;
  }
  const PreparedVideo& video = prepared.value();
  if (video.total_frames < 1 || video.total_frames > limits.max_total_frames) std::abort();
  const auto n = std::min<std::int64_t>(3, video.total_frames);
  if (static_cast<std::int64_t>(video.frames.size()) != n) std::abort();
  for (const VideoFrame& frame : video.frames) {
    if (frame.pixels.size != target_size(video.original, 70)) std::abort();
  }
  return 0;
}
