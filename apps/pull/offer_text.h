#pragma once

#include <string>

#include "apps/pull/fit_verdict.h"
#include "base/json.h"
#include "pull/source.h"

namespace pleiad::apps {

/// What will be fetched, from whom, under which license, where it goes, and whether it can be run:
/// some lines, said before the first byte.
std::string offer_text(const pull::Offer& offer, const FitVerdict& verdict);

/// A line for each of those that the offer did not name: what turned out to be of no use.
std::string left_out_text(const pull::TransferResult& result, const pull::Offer& offer);

/// The offer as a line of --json: pull::offer_json(), and "destination", and "memory" with
/// "needed", "free", "verdict" and "instead".
Json offer_json(const pull::Offer& offer, const FitVerdict& verdict);

}  // namespace pleiad::apps
