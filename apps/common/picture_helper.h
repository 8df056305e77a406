#pragma once

#include "apps/common/environment.h"
#include "media/reader.h"

namespace pleiad::apps {

/// How this program is started to decode pictures in a process that can do nothing else.
inline media::HelperProgram picture_helper(const Environment& environment) {
  return {environment.executable, {"media-helper"}};
}

}  // namespace pleiad::apps
