#pragma once

#include <string>

#include "apps/pull/fit_verdict.h"
#include "base/json.h"
#include "pull/source.h"

namespace pleiad::apps {

/// What will be fetched, from whom, under which license, where it goes, and whether it can be run:
/// some lines, said before the first byte.
std::string offer_text(const pull::Offer& offer, const FitVerdict& verdict);

/// The same as a line of --json: {"status": "offer", "name", "host", "size", "files", ...}.
Json offer_json(const pull::Offer& offer, const FitVerdict& verdict);

/// {"status": "pulling 0123456789ab", "digest", "total", "completed"}, as /api/pull has it.
Json progress_json(const pull::Progress& progress);

}  // namespace pleiad::apps
