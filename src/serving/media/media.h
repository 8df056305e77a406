#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/media/media_prompt.h"
#include "media/documents/document.h"
#include "media/picture.h"
#include "serving/media/prepared_once.h"

namespace pleiad::serving {

/// What one request may bring beside its texts.
inline constexpr std::size_t kMostMedia = 100;              // of all kinds together
inline constexpr std::size_t kMostMediaBytes = 48'000'000;  // of their files together
inline constexpr std::size_t kMostNameBytes = 1'000;        // of a document's name
inline constexpr int kMostPageViews = 12;                   // of a PDF, that people look at

using MediaKind = ShownMedia::Kind;

/// What a request brings beside its texts. Parts of its messages name it by its place:
/// {"type": "image", "media": 0}, or "audio", "video", "document". Copies share what is large.
struct MediaPart {
  MediaKind kind = MediaKind::picture;
  std::shared_ptr<const std::string> bytes;  // of a file of whatever format; null: `url` has them
  std::string url;                           // "https://..."
  /// Soft tokens of a picture, a frame or the picture of a page at most: one of media::kBudgets.
  std::optional<int> budget;
  /// Without a budget: the least that loses no pixels, of a page that shows it with 150 of an inch;
  /// else the request's.
  bool automatic = false;
  std::optional<int> frames;       // of a video, at most; else the model's own
  std::optional<bool> with_sound;  // of a video: its sound track is heard too; else the request's
  std::string name;                // of a document's file, as somebody calls it; may be empty
  std::string pages;               // of a document: "3-7,9"; empty: all
  media::DocumentOptions::PagesAs pages_as = media::DocumentOptions::PagesAs::automatic;
  bool tells_text = false;          // of a document: whoever follows the answer is told its text
  std::optional<std::size_t> clip;  // of a sound: this one of its clips alone
  std::string field;                // where it stands in the request, for errors
  std::shared_ptr<PreparedOnce> prepared = std::make_shared<PreparedOnce>();
};

/// How a medium was shown to the model.
struct MediaUse {
  MediaKind kind = MediaKind::picture;
  media::PictureSize original;     // of a picture or a video, upright
  media::PictureSize shown;        // as the model sees it
  std::int64_t tokens = 0;         // soft tokens in the prompt, for each place where it stands;
                                   // with those of a document's text, by itself
  int budget = 0;                  // of the largest picture: soft tokens at most
  double seconds = 0;              // of a sound: that were heard; of a video: its length
  std::int64_t clips = 0;          // that a sound, or that of a video, is heard in
  double clip_seconds = 0;         // of each of them but the last
  std::int64_t frames = 0;         // of a video, that were shown
  std::int64_t total_frames = 0;   // that it has
  std::int64_t pages = 0;          // of a document, that were read
  std::int64_t total_pages = 0;    // that it has
  std::int64_t picture_pages = 0;  // of those that were read, shown as pictures
  bool cached = false;   // not encoded for this answer: it was known, or another's as well
  bool dropped = false;  // with the messages that `truncate` dropped
};

/// What a part brings, ready to be shown.
struct PreparedMedia {
  ShownMedia shown;
  MediaUse use;  // as far as it is known before it is shown
  std::vector<std::string> warnings;
  bool has_pages = false;                 // of a document whose part tells its text
  std::vector<media::DocumentPage> told;  // its pages that are text, without pictures
  std::shared_ptr<const void> text_hold;  // the memory that a document's text counts for
};

}  // namespace pleiad::serving
