#pragma once

#include "base/error.h"

namespace pleiad::media {

/// What is wrong with a sound or a video: "ends early, ...", what follows "is a FLAC sound that".
/// Does not leave prepare_sound and prepare_video.
class BadStream : public Error {
 public:
  using Error::Error;
};

}  // namespace pleiad::media
