#pragma once

#include <filesystem>
#include <optional>

#include "apps/common/environment.h"
#include "eval/importance.h"

namespace pleiad::apps {

/// Runs the model of `path` over a text and tells how much each column of its
/// matrices matters. Nothing after Ctrl-C, which is said. Throws Error: a text that
/// cannot be read, too short for a measurement, a model that cannot be loaded.
std::optional<eval::ImportanceMatrix> measure_importance_of(const std::filesystem::path& path,
                                                            const std::filesystem::path& text,
                                                            int n_threads,
                                                            const Environment& environment);

}  // namespace pleiad::apps
