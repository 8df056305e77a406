#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/helper/confinement.h"
#include "media/prepare.h"

namespace pleiad::media {

/// What the helper does with a picture: prepare_picture(), or what a test would see it survive.
using Prepare = std::function<Result<PreparedPicture>(
    std::span<const std::byte> bytes, const PictureOptions& options, const DecodeLimits& limits)>;

/// The limits as the last two arguments of a helper's command line, and read from there. The second
/// throws Error.
std::vector<std::string> helper_arguments(const HelperLimits& limits);
HelperLimits helper_limits(std::span<const char* const> arguments);

/// The life of a helper, in a process that PictureReader started: confines itself, says so, reads
/// one picture from standard input, writes what came of it to standard output. Returns the exit
/// status; the process is to end by it without anything else (_exit), since at its ends programs do
/// what the filter does not let them.
int run_helper(const HelperLimits& limits, const Prepare& prepare = prepare_picture) noexcept;

/// Whether standard input and output are such pipes as PictureReader gives.
bool is_started_as_helper();

}  // namespace pleiad::media
