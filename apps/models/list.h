#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "store/model_entry.h"

namespace pleiad::apps {

/// The models that can be used as a table; below it how many cannot be, or with `all` which
/// and why.
std::string list_text(const std::vector<store::ModelEntry>& entries, std::time_t now, bool all);

/// "3 minutes ago", "2 weeks ago"
std::string age_text(std::time_t then, std::time_t now);

}  // namespace pleiad::apps
