#pragma once

#include "base/json.h"
#include "pull/source.h"

namespace pleiad::pull {

/// What will be fetched, as a line of /api/pull and of `pleiad pull --json`: {"status": "pulling
/// manifest", "name", "host", "revision", "chosen", "type", "license", "size", "at_hand", "files",
/// "left_out"}; of each file "what", "digest", "size" and "at_hand". Where it goes is not among
/// them: who asks a server from elsewhere is not told of its folders.
Json offer_json(const Offer& offer);

/// {"status": "pulling 0123456789ab", "digest", "total", "completed"}; of no file the status alone.
Json progress_json(const Progress& progress);

}  // namespace pleiad::pull
