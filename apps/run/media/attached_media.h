#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apps/common/picture_budget.h"
#include "base/result.h"
#include "engine/media/media_prompt.h"
#include "media/documents/document.h"
#include "serving/media/media.h"

namespace pleiad::apps {

/// Frames of a video that can be asked for.
inline constexpr int kMostFrames = 10'000;

/// How all media of a conversation are shown.
struct MediaWishes {
  PictureBudget picture_budget;
  std::optional<int> n_frames;  // of a video; empty: the model's own number
  bool video_sound = false;     // it is heard too

  bool operator==(const MediaWishes&) const = default;
};

/// Which pages of a document are shown, and how.
struct PageWishes {
  using PagesAs = media::DocumentOptions::PagesAs;
  std::string pages;  // "3-7,9"; empty: all
  PagesAs as = PagesAs::automatic;
  PictureBudget budget = {};  // of each that is a picture; neither: that of pictures, where
                              // somebody chose one

  bool operator==(const PageWishes&) const = default;
};

/// What can be said of pages, in the order of PagesAs.
inline constexpr const char* kPagesAs = "auto|text|image";
/// Reads one of these; a Failure says what was expected and what was found.
Result<PageWishes::PagesAs> read_pages_as(std::string_view text);
/// "auto", "text", "image".
std::string_view pages_as_word(PageWishes::PagesAs as);

/// A picture, a sound, a video or a document of a conversation. Parts {"type": "image", "media": N}
/// (or "audio", "video", "document") of its messages mean the Nth.
struct AttachedMedia {
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
  std::string name;  // of its file, without folders; a document, which is shown it, may have none
  std::shared_ptr<const std::string> bytes;  // of the file as it was, of whatever format
  PageWishes pages;                          // of a document

  // As the model that answers sees or hears it; set when it is read (media_desk.h).
  ShownMedia shown;         // without parts: not read yet
  serving::MediaUse use;    // what is told of it
  MediaWishes shown_with;   // of a video
  bool is_counted = false;  // of a document: `use.tokens` has those of its text, too

  bool is_read() const { return !shown.parts.empty(); }
};

/// What it is called in what is told of it: its file's name, or "a document".
std::string label(const AttachedMedia& media);

/// "note.jpg, 4,032 x 3,024, 266 tokens", "memo.mp3, 31.5 s, 788 tokens", "walk.mp4, 1,920 x 1,080,
/// 60.0 s, 32 frames, 1,920 tokens", "report.pdf, 5 of 12 pages, 1 of them as a picture, 2,840
/// tokens".
std::string media_text(const AttachedMedia& media);

/// The type of its parts: "image", "audio", "video", "document".
std::string_view part_type(ShownMedia::Kind kind);

}  // namespace pleiad::apps
