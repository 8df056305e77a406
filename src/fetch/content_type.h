#pragma once

#include <string_view>

#include "media/media_kind.h"

namespace pleiad::fetch {

/// Whether what is sent with this type ("audio/mpeg", in lower case and without parameters; empty:
/// none) may be a medium of that kind. Types that say nothing may be all of them.
bool may_be(media::MediaKind kind, std::string_view type);

}  // namespace pleiad::fetch
