// Any bytes at all, as what a helper says that a hostile file took over. Whatever is wrong must be
// told as such; a picture, a sound or a video that is accepted must be one that such a question
// leads to, and no room is ever made for more than the largest of these.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "media/budget.h"
#include "media/helper/answer.h"

namespace {

using namespace pleiad::media;

constexpr std::size_t kLargest = std::size_t{1120} * 48 * 48 * 3;
static_assert(kSamplesAtATime <= kLargest);

void require(bool holds) {
  if (!holds) std::abort();
}

/// Reads from the bytes; where they are pixels it makes some up, since nobody reads them.
class Helper {
 public:
  explicit Helper(std::span<const std::uint8_t> said) : said_(said) {}

  bool operator()(std::span<std::byte> into) {
    require(into.size() <= kLargest);
    // Zeros, which samples may be.
    if (into.size() > kMaxMessageText) return !said_.empty();
    if (into.size() > said_.size()) return false;
    std::memcpy(into.data(), said_.data(), into.size());
    said_ = said_.subspan(into.size());
    return true;
  }

 private:
  std::span<const std::uint8_t> said_;
};

void judge(const PreparedPicture& picture, const PictureOptions& options,
           const DecodeLimits& limits) {
  const PictureSize original = picture.original;
  require(original.width > 0 && original.height > 0 && original.width <= limits.max_side &&
          original.height <= limits.max_side);
  require(static_cast<std::uint64_t>(original.width) *
              static_cast<std::uint64_t>(original.height) <=
          limits.max_pixels);
  const PictureSize size = picture.pixels.size;
  require(size == target_size(original, picture.budget));
  require(!options.budget || picture.budget == *options.budget);
  require(std::find(kBudgets.begin(), kBudgets.end(), picture.budget) != kBudgets.end());
  require(picture.n_soft_tokens == soft_tokens(size) && picture.n_soft_tokens <= picture.budget);
  require(picture.pixels.rgb.size() ==
          static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3);
}

void judge_text(const std::string& text) {
  for (const char c : text) require(static_cast<unsigned char>(c) >= ' ' && c != '\x7f');
}

void judge(const PreparedSound& sound, const SoundLimits& limits) {
  require(!sound.samples.empty());
  require(static_cast<double>(sound.samples.size()) <= limits.max_seconds * kSoundRate + 2);
  require(sound.seconds == static_cast<double>(sound.samples.size()) / kSoundRate);
  for (const float sample : sound.samples.whole()) require(std::isfinite(sample));
  require(sound.original_rate >= 1 && sound.original_rate <= limits.max_rate);
  require(sound.original_channels >= 1 && sound.original_channels <= limits.max_channels);
  judge_text(sound.format);
}

void judge(const PreparedVideo& video, const VideoOptions& options, const VideoLimits& limits) {
  require(video.total_frames >= 1 && video.total_frames <= limits.max_total_frames);
  const auto n = static_cast<std::int64_t>(video.frames.size());
  require(n == std::min<std::int64_t>(options.n_frames, video.total_frames));
  require(std::isfinite(video.seconds) && video.seconds > 0);
  judge_text(video.format);
  std::int64_t last = -1;
  for (const VideoFrame& frame : video.frames) {
    require(frame.index > last && frame.index < video.total_frames);
    require(std::isfinite(frame.seconds) && frame.seconds < video.seconds);
    require(frame.pixels.size == target_size(video.original, options.budget));
    last = frame.index;
  }
  require(!video.sound || options.sound);
  if (video.sound) judge(*video.sound, limits.sound);
}

void judge(const pleiad::Failure& failure) {
  require(!failure.message.empty());
  judge_text(failure.message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const std::span<const std::uint8_t> said(data + 1, size - 1);
  PictureOptions options;
  if (choice % 6 < kBudgets.size()) options.budget = kBudgets[choice % 6];
  DecodeLimits limits;
  if (choice & 0x40) limits.max_pixels = 10'000;
  const auto answer = read_answer(Helper(said), options, limits);
  if (const auto* picture = std::get_if<PreparedPicture>(&answer)) judge(*picture, options, limits);
  if (const auto* failure = std::get_if<pleiad::Failure>(&answer)) judge(*failure);
  SoundLimits heard;
  heard.max_seconds = 2;
  const auto sound_answer = read_answer(Helper(said), SoundOptions(), heard);
  if (const auto* sound = std::get_if<PreparedSound>(&sound_answer)) judge(*sound, heard);
  const VideoOptions shown = {3, 70, (choice & 0x80) != 0};
  VideoLimits seen;
  seen.sound = heard;
  const auto video_answer = read_answer(Helper(said), shown, seen);
  if (const auto* video = std::get_if<PreparedVideo>(&video_answer)) judge(*video, shown, seen);
  const auto ready = read_ready(Helper(said));
  if (const auto* failure = std::get_if<pleiad::Failure>(&ready)) judge(*failure);
  return 0;
}
