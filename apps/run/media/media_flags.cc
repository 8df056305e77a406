#include "apps/run/media/media_flags.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "apps/common/terminal.h"
#include "apps/common/usage_error.h"
#include "apps/run/chat_file.h"
#include "apps/run/media/media_desk.h"
#include "base/text_format.h"
#include "media/media_kind.h"
#include "media/picture_format.h"

namespace pleiad::apps {
namespace {

using ShownKind = ShownMedia::Kind;

constexpr const char* kPictureKinds = "JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF";
constexpr const char* kSoundKinds = "WAV, FLAC, MP3, M4A, AAC, OGG, Opus or WebM, or a video";
constexpr const char* kVideoKinds = "MP4, MOV, MKV, WebM, AVI or another container of video";

/// By its first bytes; whoever decodes it says what else is wrong.
bool is_of_kind(const AttachedMedia& media) {
  const auto bytes = std::as_bytes(std::span(*media.bytes));
  if (media.kind == ShownKind::picture) return media::sniff_picture(bytes).has_value();
  const auto kind = media::sniff_media(bytes);
  return kind == media::MediaKind::video ||
         (kind == media::MediaKind::sound && media.kind == ShownKind::sound);
}

const char* kinds_of(ShownKind kind) {
  if (kind == ShownKind::picture) return kPictureKinds;
  return kind == ShownKind::sound ? kSoundKinds : kVideoKinds;
}

}  // namespace

std::string_view media_flag(ShownKind kind) {
  constexpr std::array<std::string_view, 3> kFlags = {"--image", "--audio", "--video"};
  return kFlags[static_cast<std::size_t>(kind)];
}

void check_media(const std::vector<MediaFlag>& media, bool has_prompt) {
  if (media.size() > kMostMedia) {
    throw UsageError("{}: {} pictures, sounds and videos; a conversation has at most {}",
                     media_flag(media.back().kind), media.size(), kMostMedia);
  }
  const auto is_input = [](const MediaFlag& flag) { return flag.path == "-"; };
  const auto from_input = std::ranges::count_if(media, is_input);
  if (from_input == 0) return;
  const ShownKind kind = std::ranges::find_if(media, is_input)->kind;
  const std::string_view flag = media_flag(kind);
  if (from_input > 1) {
    throw UsageError("{} -: the standard input can be one file alone", flag);
  }
  if (!has_prompt) {
    throw UsageError(
        "{} -: it comes from the standard input; expected PROMPT among the arguments, found none",
        flag);
  }
  if (is_terminal(stdin)) {
    throw UsageError("{} -: expected {} on the standard input, found a terminal", flag,
                     singular(kind));
  }
}

std::vector<AttachedMedia> open_media(const std::vector<MediaFlag>& media,
                                      const std::filesystem::path& home) {
  std::vector<AttachedMedia> opened;
  for (const MediaFlag& flag : media) {
    try {
      opened.push_back(flag.path == "-" ? MediaDesk::open_input(flag.kind)
                                        : MediaDesk::open(typed_path(flag.path, home), flag.kind));
    } catch (const Error& error) {
      throw Error("{}: {}", media_flag(flag.kind), error.what());
    }
    if (!is_of_kind(opened.back())) {
      throw Error("{}: {}: not {}; expected {}", media_flag(flag.kind),
                  printable(flag.path, std::string::npos), singular(flag.kind),
                  kinds_of(flag.kind));
    }
  }
  return opened;
}

}  // namespace pleiad::apps
