#pragma once

#include <functional>
#include <span>

#include "base/result.h"
#include "media/helper/helper_task.h"
#include "media/prepare.h"
#include "media/sound/sound.h"
#include "media/video/video.h"

namespace pleiad::media {

template <typename Prepared, typename Options, typename Limits>
using PrepareFile = std::function<Result<Prepared>(std::span<const std::byte> bytes,
                                                   const Options& options, const Limits& limits)>;

/// What the helper does with a file: this, or what a test would see it survive.
struct HelperWork {
  PrepareFile<PreparedPicture, PictureOptions, DecodeLimits> picture = prepare_picture;
  PrepareFile<PreparedSound, SoundOptions, SoundLimits> sound = prepare_sound;
  PrepareFile<PreparedVideo, VideoOptions, VideoLimits> video = prepare_video;
};

/// The life of a helper, in a process that MediaReader started: confines itself, says so, reads one
/// file from standard input, writes what came of it to standard output. Returns the exit status;
/// the process is to end by it without anything else (_exit), since at its ends programs do what
/// the filter does not let them.
int run_helper(const HelperTask& task, const HelperWork& work = {}) noexcept;

/// Whether standard input and output are such pipes as MediaReader gives.
bool is_started_as_helper();

}  // namespace pleiad::media
