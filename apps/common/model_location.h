#pragma once

#include <filesystem>
#include <string>

#include "apps/common/environment.h"

namespace pleiad::apps {

/// The file or folder that a MODEL argument means: a path, or "demo" for the
/// demo model that comes with the program ("./demo" is a path). Throws Error that says where the
/// demo model was looked for.
std::filesystem::path find_model(const std::string& argument, const Environment& environment);

}  // namespace pleiad::apps
