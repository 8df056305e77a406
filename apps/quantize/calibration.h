#pragma once

#include <filesystem>

#include "apps/common/environment.h"
#include "apps/quantize/write_model.h"
#include "eval/importance.h"

namespace pleiad::apps {

/// Runs the model of `path` over a text and tells how much each column of its
/// matrices matters. Throws Error: a text that cannot be read, too short for a
/// measurement, a model that cannot be loaded; and what the watch throws.
eval::ImportanceMatrix measure_importance_of(const std::filesystem::path& path,
                                             const std::filesystem::path& text, int n_threads,
                                             const Environment& environment,
                                             const WriteWatch& watch);

}  // namespace pleiad::apps
