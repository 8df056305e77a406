#include "fetch/content_type.h"

#include <algorithm>
#include <array>

namespace pleiad::fetch {
namespace {

constexpr std::array<std::string_view, 2> kUntold = {"application/octet-stream",
                                                     "binary/octet-stream"};
// Containers of sound and of video.
constexpr std::array<std::string_view, 3> kContainers = {"application/ogg", "application/mp4",
                                                         "application/x-matroska"};
// Documents that are not text/...
constexpr std::array<std::string_view, 8> kDocuments = {
    "application/pdf",
    "application/x-pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/xhtml+xml",
    "application/json",
    "application/xml",
    "application/javascript",
    "application/x-yaml",
};

template <std::size_t kN>
bool is_one_of(const std::array<std::string_view, kN>& types, std::string_view type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

bool may_be(media::MediaKind kind, std::string_view type) {
  if (type.empty() || is_one_of(kUntold, type)) return true;
  switch (kind) {
    case media::MediaKind::picture:
      return type.starts_with("image/");
    case media::MediaKind::sound:  // also that of a video
    case media::MediaKind::video:
      return type.starts_with("video/") || is_one_of(kContainers, type) ||
             (kind == media::MediaKind::sound && type.starts_with("audio/"));
    case media::MediaKind::document:
      return type.starts_with("text/") || is_one_of(kDocuments, type);
  }
  return false;
}

}  // namespace pleiad::fetch
