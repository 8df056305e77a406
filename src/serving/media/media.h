#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/media/media_prompt.h"
#include "media/picture.h"
#include "serving/media/prepared_once.h"

namespace pleiad::serving {

/// What one request may bring beside its texts.
inline constexpr std::size_t kMostMedia = 100;              // pictures
inline constexpr std::size_t kMostMediaBytes = 48'000'000;  // of their files together

/// What a request brings beside its texts. Parts of its messages name it by its place:
/// {"type": "image", "media": 0}. Copies share what is large.
struct MediaPart {
  enum class Kind : std::uint8_t { picture };
  Kind kind = Kind::picture;
  std::shared_ptr<const std::string> bytes;  // of a file of whatever format; null: `url` has them
  std::string url;                           // "https://..."
  std::optional<int> budget;                 // soft tokens at most, one of media::kBudgets
  bool automatic = false;  // without a budget: the least that loses no pixels; else the request's
  std::string field;       // where it stands in the request, for errors
  std::shared_ptr<PreparedOnce> prepared = std::make_shared<PreparedOnce>();
};

/// How a picture was shown to the model.
struct MediaUse {
  media::PictureSize original;  // upright
  media::PictureSize shown;     // as the model sees it
  std::int64_t tokens = 0;      // soft tokens in the prompt, for each place where it stands
  int budget = 0;               // soft tokens at most
  bool cached = false;          // not encoded for this answer: it was known, or another's as well
  bool dropped = false;         // with the messages that `truncate` dropped
};

/// What a part brings, ready to be shown.
struct PreparedMedia {
  ShownMedia shown;
  MediaUse use;  // as far as it is known before it is shown
};

}  // namespace pleiad::serving
