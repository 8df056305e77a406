#include "api/common/media_json.h"

namespace pleiad::api {

Json media_json(const std::vector<serving::MediaUse>& media) {
  if (media.empty()) return nullptr;
  Json list = Json::array();
  for (const serving::MediaUse& use : media) {
    Json& entry = list.emplace_back(Json{{"width", use.original.width},
                                         {"height", use.original.height},
                                         {"shown_width", use.shown.width},
                                         {"shown_height", use.shown.height},
                                         {"tokens", use.tokens},
                                         {"budget", use.budget},
                                         {"cached", use.cached}});
    if (use.dropped) entry["dropped"] = true;
  }
  return list;
}

}  // namespace pleiad::api
