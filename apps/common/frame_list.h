#pragma once

#include <filesystem>
#include <span>

#include "media/reader.h"

namespace pleiad::apps {

/// A video whose frames are pictures in files, `fps` of them a second: so many of them as
/// `options` says, evenly spread; the others are not read. Throws Error that names the file: it
/// cannot be read, is no picture, or is not as large as the first one.
media::PreparedVideo read_frame_list(std::span<const std::filesystem::path> files, double fps,
                                     const media::VideoOptions& options,
                                     media::MediaReader& reader);

}  // namespace pleiad::apps
