#pragma once

#include <vector>

#include "base/json.h"
#include "serving/media/media.h"

namespace pleiad::api {

/// What an answer tells of its media, in the order of the request; of pictures: {"width", "height",
/// "shown_width", "shown_height", "tokens", "budget", "cached"}, and "dropped" where they were.
/// Null where there are none.
Json media_json(const std::vector<serving::MediaUse>& media);

}  // namespace pleiad::api
