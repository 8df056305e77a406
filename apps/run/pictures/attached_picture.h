#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "media/picture.h"
#include "model/picture_input.h"

namespace pleiad::apps {

/// A picture of a conversation. Parts {"type": "image", "media": N} of its messages mean the Nth.
struct AttachedPicture {
  std::string name;                          // of its file, without folders
  std::shared_ptr<const std::string> bytes;  // of the file as it was, of whatever format

  // As the model that answers sees it; set when it is read (picture_desk.h).
  media::PictureSize original;                // upright
  std::shared_ptr<const PictureInput> input;  // null: not read yet
  int budget = 0;                             // soft tokens at most
  std::int64_t n_soft_tokens = 0;
};

/// "note.jpg, 4,032 x 3,024, 266 tokens".
std::string picture_text(const AttachedPicture& picture);

}  // namespace pleiad::apps
