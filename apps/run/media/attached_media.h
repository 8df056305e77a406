#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apps/common/picture_budget.h"
#include "engine/media/media_prompt.h"
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

/// A picture, a sound or a video of a conversation. Parts {"type": "image", "media": N} (or
/// "audio", "video") of its messages mean the Nth.
struct AttachedMedia {
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
  std::string name;                          // of its file, without folders
  std::shared_ptr<const std::string> bytes;  // of the file as it was, of whatever format

  // As the model that answers sees or hears it; set when it is read (media_desk.h).
  ShownMedia shown;        // without parts: not read yet
  serving::MediaUse use;   // what is told of it
  MediaWishes shown_with;  // of a video

  bool is_read() const { return !shown.parts.empty(); }
};

/// "note.jpg, 4,032 x 3,024, 266 tokens", "memo.mp3, 31.5 s, 788 tokens", "walk.mp4, 1,920 x 1,080,
/// 60.0 s, 32 frames, 1,920 tokens".
std::string media_text(const AttachedMedia& media);

/// The type of its parts: "image", "audio", "video".
std::string_view part_type(ShownMedia::Kind kind);

}  // namespace pleiad::apps
