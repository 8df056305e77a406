#include "api/common/media_json.h"

namespace pleiad::api {
namespace {

Json seen(std::string_view kind, const serving::MediaUse& use) {
  return {{"kind", kind},
          {"width", use.original.width},
          {"height", use.original.height},
          {"shown_width", use.shown.width},
          {"shown_height", use.shown.height},
          {"tokens", use.tokens},
          {"budget", use.budget}};
}

/// What there is to tell of its kind.
Json entry_of(const serving::MediaUse& use) {
  switch (use.kind) {
    case serving::MediaKind::sound:
      return {{"kind", "sound"}, {"seconds", use.seconds}, {"clips", use.clips}};
    case serving::MediaKind::video: {
      Json entry = seen("video", use);
      entry["seconds"] = use.seconds;
      entry["frames"] = use.frames;
      entry["total_frames"] = use.total_frames;
      if (use.clips > 0) entry["clips"] = use.clips;
      return entry;
    }
    case serving::MediaKind::document:
      return {{"kind", "document"},
              {"pages", use.pages},
              {"total_pages", use.total_pages},
              {"picture_pages", use.picture_pages}};
    case serving::MediaKind::picture:
      break;
  }
  return seen("picture", use);
}

}  // namespace

Json media_json(const std::vector<serving::MediaUse>& media) {
  if (media.empty()) return nullptr;
  Json list = Json::array();
  for (const serving::MediaUse& use : media) {
    Json& entry = list.emplace_back(entry_of(use));
    entry["tokens"] = use.tokens;
    entry["cached"] = use.cached;
    if (use.dropped) entry["dropped"] = true;
  }
  return list;
}

}  // namespace pleiad::api
