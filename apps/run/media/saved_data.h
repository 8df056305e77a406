#pragma once

#include <string>
#include <string_view>

#include "apps/run/media/attached_media.h"
#include "base/json.h"

namespace pleiad::apps {

// Bytes of media in a conversation's file. `where` is the field, which errors name.

inline constexpr std::string_view kDataScheme = "data:";

/// Throws Error where it is no base64, or more than such a file may have.
AttachedMedia from_base64(std::string_view base64, ShownMedia::Kind kind, std::string name,
                          const std::string& where);

/// What "data:image/png;base64,..." holds. Throws Error.
AttachedMedia from_address(std::string_view address, ShownMedia::Kind kind, std::string name,
                           const std::string& where);

/// A member that is text; "" where there is none.
std::string member_text(const Json& object, const char* key);

}  // namespace pleiad::apps
