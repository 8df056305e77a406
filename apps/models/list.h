#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "store/model_entry.h"

namespace pleiad::apps {

/// The models that can be used as a table; below it how many cannot be, or with `all` which
/// and why.
std::string list_text(const std::vector<store::ModelEntry>& entries, std::time_t now, bool all);

/// Names of those that can be used, one a line; without those that would take more lines.
std::string list_names(const std::vector<store::ModelEntry>& entries);

/// {"models": [{"name", "digest", "size", "modified" (seconds since 1970), "source", "path"}]},
/// with `all` also those that cannot be used, with "problem".
std::string list_json(const std::vector<store::ModelEntry>& entries, bool all);

/// "3 minutes ago", "2 weeks ago"
std::string age_text(std::time_t then, std::time_t now);

}  // namespace pleiad::apps
