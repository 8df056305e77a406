#pragma once

#include <optional>
#include <string>

#include "apps/common/environment.h"

namespace pleiad::apps {

/// Asks at the terminal which of the models at hand is meant, by its number or name; nullopt where
/// the answer is none of them (an empty line, the end of the input). Without a terminal there is
/// nobody to ask: throws UsageError that lists them.
std::optional<std::string> choose_model(const Environment& environment);

}  // namespace pleiad::apps
