#include "media/helper/answer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text_format.h"
#include "media/budget.h"
#include "media/sound/sample_range.h"

namespace pleiad::media {
namespace {

/// The text of a message, fit to be shown; empty where it ends early or is longer than texts are.
std::string read_text(const ReadExactly& read, const Message& message) {
  if (message.n_bytes == 0 || message.n_bytes > kMaxMessageText) return {};
  std::string text(static_cast<std::size_t>(message.n_bytes), '\0');
  if (!read(std::as_writable_bytes(std::span(text)))) return {};
  return printable(text, kMaxMessageText);
}

std::string read_format(const FormatText& format) {
  const auto end = std::find(format.begin(), format.end(), '\0');
  return printable(std::string(format.begin(), end));
}

template <typename Number>
bool is(std::uint32_t found, Number expected) {
  return std::cmp_equal(found, expected);
}

/// Upright, before it was resized.
bool is_possible(const Message& answer, std::uint64_t max_pixels, int max_side) {
  const auto most = static_cast<std::uint32_t>(std::max(max_side, 0));
  const std::uint64_t pixels = std::uint64_t{answer.original_width} * answer.original_height;
  return pixels != 0 && answer.original_width <= most && answer.original_height <= most &&
         pixels <= max_pixels;
}

PictureSize original_of(const Message& answer) {
  return {static_cast<int>(answer.original_width), static_cast<int>(answer.original_height)};
}

/// That it was resized as this budget wants it.
bool fits_budget(const Message& answer, int budget) {
  const PictureSize target = target_size(original_of(answer), budget);
  return is(answer.budget, budget) && is(answer.width, target.width) &&
         is(answer.height, target.height) && is(answer.n_soft_tokens, soft_tokens(target));
}

std::uint64_t pixel_bytes(const Message& answer) {
  return std::uint64_t{answer.width} * answer.height * 3;
}

/// The sizes are those that such a question leads to, and no others.
bool fits(const Message& answer, const PictureOptions& options, const DecodeLimits& limits) {
  return is_possible(answer, limits.max_pixels, limits.max_side) &&
         fits_budget(answer, options.budget.value_or(automatic_budget(original_of(answer)))) &&
         answer.n_bytes == pixel_bytes(answer);
}

bool fits(const Message& answer, const SoundHead& head, const SoundLimits& limits) {
  return head.rate >= 1 && std::cmp_less_equal(head.rate, limits.max_rate) && head.channels >= 1 &&
         std::cmp_less_equal(head.channels, limits.max_channels) && answer.n_bytes != 0 &&
         answer.n_bytes % sizeof(float) == 0 &&
         static_cast<double>(answer.n_bytes / sizeof(float)) <= most_samples(limits);
}

bool fits(const Message& answer, const VideoHead& head, const VideoOptions& options,
          const VideoLimits& limits) {
  return is_possible(answer, limits.max_pixels, limits.max_side) &&
         fits_budget(answer, options.budget) && head.total_frames >= 1 &&
         head.total_frames <= limits.max_total_frames &&
         is(head.n_frames, std::min<std::int64_t>(options.n_frames, head.total_frames)) &&
         answer.n_bytes == pixel_bytes(answer) * head.n_frames && head.fps >= kMinFps &&
         head.fps <= kMaxFps && head.has_sound <= (options.sound ? 1U : 0U);
}

/// The head of an answer of that kind; a Failure where the helper says why there is none.
std::variant<Message, Failure, NoAnswer> read_head(const ReadExactly& read, MessageKind kind) {
  Message message;
  if (!read(bytes_of(message))) return NoAnswer::ended;
  if (message.begin != Message::kBegin) return NoAnswer::nonsense;
  if (message.kind == MessageKind::failure) {
    std::string text = read_text(read, message);
    if (text.empty()) return NoAnswer::nonsense;
    return Failure{std::move(text)};
  }
  if (message.kind != kind) return NoAnswer::nonsense;
  return message;
}

/// What is no answer of that kind, as one of another kind.
template <typename Prepared, typename Other>
Answer<Prepared> no_answer(Other&& other) {
  if (auto* failure = std::get_if<Failure>(&other)) return std::move(*failure);
  return std::get<NoAnswer>(other);
}

bool read_pixels(const ReadExactly& read, const Message& message, Pixels& pixels) {
  pixels.size = {static_cast<int>(message.width), static_cast<int>(message.height)};
  pixels.rgb.resize(static_cast<std::size_t>(pixel_bytes(message)));
  return read(std::as_writable_bytes(std::span(pixels.rgb)));
}

std::optional<NoAnswer> read_samples(const ReadExactly& read, std::size_t n,
                                     SoundSamples& samples) {
  constexpr std::size_t kAtATime = kSamplesAtATime / sizeof(float);
  while (samples.size() < n) {
    const std::span<float> room = samples.extend(std::min(n - samples.size(), kAtATime));
    if (!read(std::as_writable_bytes(room))) return NoAnswer::ended;
    if (!std::ranges::all_of(room, is_sample)) return NoAnswer::nonsense;
  }
  return std::nullopt;
}

Answer<PreparedSound> read_sound(const ReadExactly& read, const Message& message,
                                 const SoundLimits& limits) {
  SoundHead head;
  if (!read(bytes_of(head))) return NoAnswer::ended;
  if (!fits(message, head, limits)) return NoAnswer::nonsense;
  PreparedSound sound;
  sound.format = read_format(head.format);
  sound.original_rate = static_cast<int>(head.rate);
  sound.original_channels = static_cast<int>(head.channels);
  const auto n = static_cast<std::size_t>(message.n_bytes / sizeof(float));
  if (const auto none = read_samples(read, n, sound.samples)) return *none;
  sound.seconds = static_cast<double>(n) / kSoundRate;
  return sound;
}

}  // namespace

std::variant<std::uint32_t, Failure, NoAnswer> read_ready(const ReadExactly& read) {
  Message message;
  if (!read(bytes_of(message))) return NoAnswer::ended;
  if (message.begin != Message::kBegin) return NoAnswer::nonsense;
  if (message.kind == MessageKind::ready && message.n_bytes == 0) return message.confined;
  if (message.kind != MessageKind::not_confined) return NoAnswer::nonsense;
  std::string text = read_text(read, message);
  if (text.empty()) return NoAnswer::nonsense;
  return Failure{std::move(text)};
}

Answer<PreparedPicture> read_answer(const ReadExactly& read, const PictureOptions& options,
                                    const DecodeLimits& limits) {
  auto head = read_head(read, MessageKind::picture);
  const auto* message = std::get_if<Message>(&head);
  if (message == nullptr) return no_answer<PreparedPicture>(std::move(head));
  if (!fits(*message, options, limits)) return NoAnswer::nonsense;
  PreparedPicture picture;
  picture.original = original_of(*message);
  picture.budget = static_cast<int>(message->budget);
  picture.n_soft_tokens = static_cast<int>(message->n_soft_tokens);
  if (!read_pixels(read, *message, picture.pixels)) return NoAnswer::ended;
  return picture;
}

Answer<PreparedSound> read_answer(const ReadExactly& read, const SoundOptions&,
                                  const SoundLimits& limits) {
  auto head = read_head(read, MessageKind::sound);
  const auto* message = std::get_if<Message>(&head);
  if (message == nullptr) return no_answer<PreparedSound>(std::move(head));
  return read_sound(read, *message, limits);
}

Answer<PreparedVideo> read_answer(const ReadExactly& read, const VideoOptions& options,
                                  const VideoLimits& limits) {
  auto answer = read_head(read, MessageKind::video);
  const auto* message = std::get_if<Message>(&answer);
  if (message == nullptr) return no_answer<PreparedVideo>(std::move(answer));
  VideoHead head;
  if (!read(bytes_of(head))) return NoAnswer::ended;
  if (!fits(*message, head, options, limits)) return NoAnswer::nonsense;
  PreparedVideo video;
  video.format = read_format(head.format);
  video.original = original_of(*message);
  video.fps = head.fps;
  video.total_frames = head.total_frames;
  video.seconds = static_cast<double>(head.total_frames) / head.fps;
  video.budget = options.budget;
  video.n_soft_tokens = static_cast<int>(message->n_soft_tokens);
  for (std::int64_t k = 0; k < head.n_frames; ++k) {
    VideoFrame& frame = video.frames.emplace_back();
    frame.index = frame_index(k, head.n_frames, head.total_frames);
    frame.seconds = static_cast<double>(frame.index) / head.fps;
    if (!read_pixels(read, *message, frame.pixels)) return NoAnswer::ended;
  }
  if (head.has_sound == 0) return video;
  auto sound = read_answer(read, SoundOptions(), limits.sound);
  if (auto* prepared = std::get_if<PreparedSound>(&sound)) {
    video.sound = std::move(*prepared);
    return video;
  }
  return no_answer<PreparedVideo>(std::move(sound));
}

}  // namespace pleiad::media
