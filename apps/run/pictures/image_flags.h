#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/run/pictures/attached_picture.h"

namespace pleiad::apps {

/// What --image names, "-" among it: the standard input. Throws UsageError where they are too many,
/// or where the input cannot be a picture: `has_prompt`, the prompt is an argument and nothing else
/// is read.
void check_images(const std::vector<std::string>& images, bool has_prompt);

/// The files, before a model is found and loaded: what is missing or no picture is told at once.
/// Throws Error that names it.
std::vector<AttachedPicture> open_images(const std::vector<std::string>& images,
                                         const std::filesystem::path& home);

}  // namespace pleiad::apps
