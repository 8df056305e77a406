#pragma once

#include "apps/common/environment.h"
#include "apps/media/helper.h"
#include "media/reader.h"

namespace pleiad::apps {

/// How this program is started to decode pictures in a process that can do nothing else.
inline media::HelperProgram picture_helper(const Environment&) { return own_media_helper(); }

}  // namespace pleiad::apps
