#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/run/pictures/attached_picture.h"
#include "base/json.h"

namespace pleiad::apps {

// Pictures in a conversation's file. They are written whole, as APIs take them: the file means the
// same when the pictures are moved, changed or gone, and on another machine.

/// The messages with pictures in place of their numbers:
/// {"type": "image_url", "image_url": {"url": "data:image/png;base64,..."}, "name": "note.png"}.
Json with_pictures(const Json& messages, const std::vector<AttachedPicture>& pictures);

/// The messages with numbers in place of pictures, which are added to `pictures`. They may stand as
/// above, as {"type": "image", "image": PATH or data:...} with paths relative to `folder`, or as
/// base64 in a message's "images" (the page's exports, Ollama's requests), which then come before
/// its text. Other parts stay as they are. Throws Error that names the field.
Json take_pictures(const Json& messages, std::vector<AttachedPicture>& pictures,
                   const std::filesystem::path& folder);

/// "image/jpeg" and so on, by the first bytes.
std::string media_type(const std::string& bytes);

}  // namespace pleiad::apps
