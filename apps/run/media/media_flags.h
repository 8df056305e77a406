#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/run/media/attached_media.h"

namespace pleiad::apps {

/// What one --image, --audio or --video names; "-": the standard input.
struct MediaFlag {
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
  std::string path;
};

/// "--image", "--audio", "--video".
std::string_view media_flag(ShownMedia::Kind kind);

/// Throws UsageError where they are too many, or where the input cannot be one of them:
/// `has_prompt`, the prompt is an argument and nothing else is read.
void check_media(const std::vector<MediaFlag>& media, bool has_prompt);

/// The files, before a model is found and loaded: what is missing, or nothing of that kind, is told
/// at once. Throws Error that names it.
std::vector<AttachedMedia> open_media(const std::vector<MediaFlag>& media,
                                      const std::filesystem::path& home);

}  // namespace pleiad::apps
