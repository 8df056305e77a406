#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace pleiad::api {

/// What the type of a part of a message stands for: "images", "audio", ...; empty: no media.
std::string_view media_kind(std::string_view part_type);

/// Files cannot be given to the models as they are run, and pictures, sound and videos not
/// everywhere: throws RequestError ("messages[2].audio: ...", code "unsupported_media"). `kind`:
/// "images", "audio", "video", "files".
[[noreturn]] void refuse_media(std::string_view path, std::string_view kind);

/// Checks a message's content in OpenAI's form: absent, null, a string, or a list of
/// parts of which each is {"type": "text", "text": "..."}. Media are refused as
/// above, other types named.
void check_content(const Json& message, const std::string& message_path);

}  // namespace pleiad::api
