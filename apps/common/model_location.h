#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apps/common/environment.h"
#include "store/model_entry.h"

namespace pleiad::apps {

/// What a MODEL argument means: a path, "demo" for the demo model that comes with the
/// program ("./demo" is a path), or the name of a model at hand, as `pleiad list` shows them.
/// Throws Error that says where it was looked for.
store::ModelEntry find_model_entry(const std::string& argument, const Environment& environment);

/// Its file or folder alone.
std::filesystem::path find_model(const std::string& argument, const Environment& environment);

/// The demo model's file, where it is installed.
std::optional<std::filesystem::path> find_demo_model(const Environment& environment);

}  // namespace pleiad::apps
