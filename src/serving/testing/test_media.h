#pragma once

#include <cstring>
#include <functional>
#include <string>

#include "media/budget.h"
#include "media/fetcher.h"
#include "serving/answer.h"
#include "serving/media/media_tools.h"
#include "serving/testing/test_models.h"

namespace pleiad::serving {

/// Towers that the demo model might have.
inline PromptTowers test_towers() {
  const text::Vocabulary& vocabulary = TestRuntime::tokenizer().tokenizer.vocabulary();
  PromptTowers towers;
  VisionPrompt& vision = towers.vision;
  vision.problem.clear();
  vision.tokens = {.begin = vocabulary.tag(text::Tag::image_open).value(),
                   .soft = vocabulary.tag(text::Tag::image).value(),
                   .end = vocabulary.tag(text::Tag::image_close).value()};
  vision.default_budget = 280;
  vision.longest_side = 4096;
  vision.video = vocabulary.tag(text::Tag::video).value();
  towers.audio.problem.clear();
  towers.audio.tokens = {.begin = vocabulary.tag(text::Tag::audio_open).value(),
                         .soft = vocabulary.tag(text::Tag::audio).value(),
                         .end = vocabulary.tag(text::Tag::audio_close).value()};
  return towers;
}

/// Reads "WIDTHxHEIGHT" as a picture of that size, and refuses all else; keeps what was asked.
struct TestPictures {
  std::mutex mutex;
  std::vector<std::string> read;
  std::vector<std::optional<int>> budgets;
  std::function<void()> while_reading = {};

  PreparePicture prepare() {
    return [this](std::span<const std::byte> bytes, const media::PictureOptions& options,
                  const std::function<bool()>& stop) -> Result<media::PreparedPicture> {
      std::string text(bytes.size(), ' ');
      std::memcpy(text.data(), bytes.data(), bytes.size());
      {
        const std::lock_guard guard(mutex);
        read.push_back(text);
        budgets.push_back(options.budget);
      }
      if (while_reading) while_reading();
      if (stop && stop()) return Failure{"was given up"};
      const std::size_t times = text.find('x');
      if (times == std::string::npos) return Failure{"is no picture of a format that is read"};
      media::PreparedPicture picture;
      picture.original = {std::stoi(text), std::stoi(text.substr(times + 1))};
      picture.budget = options.budget.value_or(media::automatic_budget(picture.original));
      picture.pixels.size = media::target_size(picture.original, picture.budget);
      picture.pixels.rgb.resize(static_cast<std::size_t>(picture.pixels.size.width) *
                                static_cast<std::size_t>(picture.pixels.size.height) * 3);
      picture.n_soft_tokens = media::soft_tokens(picture.pixels.size);
      return picture;
    };
  }
};

/// Reads "SAMPLES samples" as a sound of that length.
inline Result<media::PreparedSound> test_sound(std::span<const std::byte> bytes,
                                               const media::SoundOptions& /*options*/,
                                               const std::function<bool()>& /*stop*/) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.ends_with(" samples")) return Failure{"is no sound of a format that is read"};
  media::PreparedSound sound;
  sound.samples.append(std::vector<float>(static_cast<std::size_t>(std::stoi(text)), 0.25F));
  sound.seconds = static_cast<double>(sound.samples.size()) / media::kSoundRate;
  return sound;
}

/// Reads "N frames" as a video of so many, one in two seconds, and "N frames, loud" as one with a
/// second of sound.
inline Result<media::PreparedVideo> test_video(std::span<const std::byte> bytes,
                                               const media::VideoOptions& options,
                                               const std::function<bool()>& /*stop*/) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.find(" frames") == std::string::npos) return Failure{"is no video"};
  media::PreparedVideo video;
  video.original = {480, 480};
  video.fps = 0.5;
  video.total_frames = std::stoi(text);
  video.seconds = 2.0 * static_cast<double>(video.total_frames);
  video.budget = options.budget;
  const std::int64_t n = std::min<std::int64_t>(options.n_frames, video.total_frames);
  for (std::int64_t k = 0; k < n; ++k) {
    media::VideoFrame& frame = video.frames.emplace_back();
    frame.index = media::frame_index(k, n, video.total_frames);
    frame.seconds = 2.0 * static_cast<double>(frame.index);
    frame.pixels.size = media::target_size(video.original, video.budget);
    frame.pixels.rgb.resize(static_cast<std::size_t>(frame.pixels.size.width) *
                            static_cast<std::size_t>(frame.pixels.size.height) * 3);
    frame.pixels.rgb[0] = static_cast<std::uint8_t>(k);
    video.n_soft_tokens = media::soft_tokens(frame.pixels.size);
  }
  if (options.sound && text.ends_with("loud")) {
    video.sound =
        test_sound(std::as_bytes(std::span(std::string_view("16000 samples"))), {}, {}).value();
  }
  return video;
}

/// Reads each line as a page, and one that is "?" as a page without text.
inline Result<media::Document> test_document(std::span<const std::byte> bytes,
                                             std::string_view /*name*/,
                                             const media::DocumentOptions& options,
                                             const std::function<bool()>& /*stop*/) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (options.pages == "9") return Failure{"has no page 9"};
  media::Document document;
  document.has_pages = true;
  document.n_pages = 0;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    media::DocumentPage& page = document.pages.emplace_back();
    page.number = ++document.n_pages;
    page.text = text.substr(from, end - from);
    from = end + 1;
    if (page.text != "?") continue;
    page.text.clear();
    page.picture = media::PreparedPicture();
    page.picture->pixels.size = {48, 96};
    page.picture->pixels.rgb.resize(std::size_t{48} * 96 * 3);
  }
  document.warnings = {"page 1 is guessed"};
  return document;
}

class TestFetcher final : public media::MediaFetcher {
 public:
  Result<std::string> fetch(std::string_view url, media::MediaKind kind,
                            const std::function<bool()>& /*stop*/) override {
    if (url == "https://a.test/p.png" && kind == media::MediaKind::picture) {
      return std::string("480x480");
    }
    if (url == "https://a.test/d" && kind == media::MediaKind::document) return std::string("One");
    return Failure{"the host is not among those that are allowed"};
  }
};

inline MediaPart test_part(const std::string& bytes, const std::string& field) {
  MediaPart part;
  part.bytes = std::make_shared<const std::string>(bytes);
  part.field = field;
  return part;
}

/// A question with pictures before its text.
inline AnswerRequest picture_request(const std::string& model,
                                     std::initializer_list<std::string> pictures) {
  AnswerRequest request;
  request.model = model;
  Json content = Json::array();
  for (const std::string& picture : pictures) {
    const std::string index = std::to_string(request.media.size());
    content.push_back({{"type", "image"}, {"media", request.media.size()}});
    request.media.push_back(test_part(picture, "messages[0].content[" + index + "]"));
  }
  content.push_back({{"type", "text"}, {"text", "What is this?"}});
  request.messages.push_back({{"role", "user"}, {"content", std::move(content)}});
  request.sampling.temperature = 0;
  return request;
}

}  // namespace pleiad::serving
