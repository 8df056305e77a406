#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "media/media_kind.h"
#include "media/prepare.h"
#include "media/sound/sound.h"
#include "media/video/video.h"

// What goes through the pipes between this program and the helper that it starts from its own file:
// numbers in the machine's order, then bytes. The helper is not believed (answer.h).
namespace pleiad::media {

/// One question, and then its n_bytes. Numbers that a kind does not name are 0.
struct Question {
  std::uint64_t begin = kBegin;
  std::uint64_t n_bytes = 0;
  std::uint32_t kind = 0;  // MediaKind
  std::uint32_t max_side = 0;
  std::uint64_t max_pixels = 0;
  std::uint32_t max_scans = 0;
  std::uint32_t n_frames = 0;
  std::uint64_t budget = 0;  // 0: automatic
  std::int64_t max_total_frames = 0;
  double max_seconds = 0;
  std::uint32_t max_rate = 0;
  std::uint32_t max_channels = 0;
  std::uint64_t wants_sound = 0;

  static constexpr std::uint64_t kBegin = 0x50'4c'45'49'41'44'3f'31;
};
static_assert(sizeof(Question) == 80, "no padding, which would be memory of ours");

enum class MessageKind : std::uint32_t {
  ready = 1,
  not_confined = 2,
  picture = 3,
  failure = 4,
  sound = 5,
  video = 6
};

/// What the helper says: once that it is ready or why not, then the answer. Behind it comes what
/// its kind has more of, and then its n_bytes: a text of not_confined and of failure, pixels of
/// picture and video, samples of sound. Numbers that a kind does not name are 0.
struct Message {
  std::uint64_t begin = kBegin;
  MessageKind kind = MessageKind::failure;
  std::uint32_t confined = 0;  // ready: Confinement::bits()
  std::uint32_t original_width = 0;
  std::uint32_t original_height = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t budget = 0;
  std::uint32_t n_soft_tokens = 0;
  std::uint64_t n_bytes = 0;

  static constexpr std::uint64_t kBegin = 0x50'4c'45'49'41'44'21'31;
};
static_assert(sizeof(Message) == 48, "no padding, which would be memory of ours");

/// The name of a format, with zeros behind it.
using FormatText = std::array<char, 48>;

/// Behind a sound's Message; then samples, float32.
struct SoundHead {
  std::uint32_t rate = 0;
  std::uint32_t channels = 0;
  FormatText format = {};
};
static_assert(sizeof(SoundHead) == 56, "no padding, which would be memory of ours");

/// Behind a video's Message; then the pixels of its frames one behind the other, then, where it has
/// a sound, the Message of a sound and what follows that.
struct VideoHead {
  double fps = 0;
  std::int64_t total_frames = 0;
  std::uint32_t n_frames = 0;
  std::uint32_t has_sound = 0;
  FormatText format = {};
};
static_assert(sizeof(VideoHead) == 72, "no padding, which would be memory of ours");

/// More of a text is not read.
inline constexpr std::size_t kMaxMessageText = 1000;

Question make_question(std::span<const std::byte> bytes, const PictureOptions& options,
                       const DecodeLimits& limits);
Question make_question(std::span<const std::byte> bytes, const SoundOptions& options,
                       const SoundLimits& limits);
Question make_question(std::span<const std::byte> bytes, const VideoOptions& options,
                       const VideoLimits& limits);

// What the helper does with it.
PictureOptions picture_options_of(const Question& question);
DecodeLimits decode_limits_of(const Question& question);
SoundLimits sound_limits_of(const Question& question);
VideoOptions video_options_of(const Question& question);
VideoLimits video_limits_of(const Question& question);

// What it says of what came of it.
Message message_of(const PreparedPicture& picture);
Message message_of(const PreparedSound& sound);
Message message_of(const PreparedVideo& video);
SoundHead head_of(const PreparedSound& sound);
VideoHead head_of(const PreparedVideo& video);

/// As it goes through the pipe.
template <typename T>
std::span<std::byte> bytes_of(T& message) {
  return std::as_writable_bytes(std::span<T, 1>(&message, 1));
}

}  // namespace pleiad::media
