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

class TestFetcher final : public media::MediaFetcher {
 public:
  Result<std::string> fetch(std::string_view url, const std::function<bool()>& /*stop*/) override {
    if (url == "https://a.test/p.png") return std::string("480x480");
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
