#include "media/helper/messages.h"

#include <algorithm>
#include <limits>

namespace pleiad::media {
namespace {

int small(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(number, kMost));
}

Question question_of_kind(MediaKind kind, std::span<const std::byte> bytes) {
  Question question;
  question.kind = static_cast<std::uint32_t>(kind);
  question.n_bytes = bytes.size();
  return question;
}

void set_sound_limits(Question& question, const SoundLimits& limits) {
  question.max_seconds = limits.max_seconds;
  question.max_rate = static_cast<std::uint32_t>(limits.max_rate);
  question.max_channels = static_cast<std::uint32_t>(limits.max_channels);
}

FormatText format_text(std::string_view text) {
  FormatText format = {};
  std::copy_n(text.begin(), std::min(text.size(), format.size()), format.begin());
  return format;
}

}  // namespace

Question make_question(std::span<const std::byte> bytes, const PictureOptions& options,
                       const DecodeLimits& limits) {
  Question question = question_of_kind(MediaKind::picture, bytes);
  question.max_pixels = limits.max_pixels;
  question.max_side = static_cast<std::uint32_t>(limits.max_side);
  question.max_scans = static_cast<std::uint32_t>(limits.max_scans);
  question.budget = static_cast<std::uint64_t>(options.budget.value_or(0));
  return question;
}

Question make_question(std::span<const std::byte> bytes, const SoundOptions&,
                       const SoundLimits& limits) {
  Question question = question_of_kind(MediaKind::sound, bytes);
  set_sound_limits(question, limits);
  return question;
}

Question make_question(std::span<const std::byte> bytes, const VideoOptions& options,
                       const VideoLimits& limits) {
  Question question = question_of_kind(MediaKind::video, bytes);
  question.max_pixels = limits.max_pixels;
  question.max_side = static_cast<std::uint32_t>(limits.max_side);
  question.max_total_frames = limits.max_total_frames;
  question.n_frames = static_cast<std::uint32_t>(options.n_frames);
  question.budget = static_cast<std::uint64_t>(options.budget);
  question.wants_sound = options.sound ? 1 : 0;
  set_sound_limits(question, limits.sound);
  return question;
}

PictureOptions picture_options_of(const Question& question) {
  PictureOptions options;
  if (question.budget != 0) options.budget = small(question.budget);
  return options;
}

DecodeLimits decode_limits_of(const Question& question) {
  DecodeLimits limits;
  limits.max_pixels = question.max_pixels;
  limits.max_side = small(question.max_side);
  limits.max_scans = small(question.max_scans);
  return limits;
}

SoundLimits sound_limits_of(const Question& question) {
  SoundLimits limits;
  limits.max_seconds = question.max_seconds;
  limits.max_rate = small(question.max_rate);
  limits.max_channels = small(question.max_channels);
  return limits;
}

VideoOptions video_options_of(const Question& question) {
  VideoOptions options;
  options.n_frames = small(question.n_frames);
  options.budget = small(question.budget);
  options.sound = question.wants_sound != 0;
  return options;
}

VideoLimits video_limits_of(const Question& question) {
  VideoLimits limits;
  limits.max_pixels = question.max_pixels;
  limits.max_side = small(question.max_side);
  limits.max_total_frames = question.max_total_frames;
  limits.sound = sound_limits_of(question);
  return limits;
}

Message message_of(const PreparedPicture& picture) {
  Message message;
  message.kind = MessageKind::picture;
  message.original_width = static_cast<std::uint32_t>(picture.original.width);
  message.original_height = static_cast<std::uint32_t>(picture.original.height);
  message.width = static_cast<std::uint32_t>(picture.pixels.size.width);
  message.height = static_cast<std::uint32_t>(picture.pixels.size.height);
  message.budget = static_cast<std::uint32_t>(picture.budget);
  message.n_soft_tokens = static_cast<std::uint32_t>(picture.n_soft_tokens);
  message.n_bytes = picture.pixels.rgb.size();
  return message;
}

Message message_of(const PreparedSound& sound) {
  Message message;
  message.kind = MessageKind::sound;
  message.n_bytes = sound.samples.size() * sizeof(float);
  return message;
}

Message message_of(const PreparedVideo& video) {
  Message message;
  message.kind = MessageKind::video;
  message.original_width = static_cast<std::uint32_t>(video.original.width);
  message.original_height = static_cast<std::uint32_t>(video.original.height);
  if (!video.frames.empty()) {
    const PictureSize size = video.frames.front().pixels.size;
    message.width = static_cast<std::uint32_t>(size.width);
    message.height = static_cast<std::uint32_t>(size.height);
  }
  message.budget = static_cast<std::uint32_t>(video.budget);
  message.n_soft_tokens = static_cast<std::uint32_t>(video.n_soft_tokens);
  for (const VideoFrame& frame : video.frames) message.n_bytes += frame.pixels.rgb.size();
  return message;
}

SoundHead head_of(const PreparedSound& sound) {
  return {static_cast<std::uint32_t>(sound.original_rate),
          static_cast<std::uint32_t>(sound.original_channels), format_text(sound.format)};
}

VideoHead head_of(const PreparedVideo& video) {
  return {video.fps, video.total_frames, static_cast<std::uint32_t>(video.frames.size()),
          video.sound ? 1U : 0U, format_text(video.format)};
}

}  // namespace pleiad::media
