#pragma once

#include <string>

namespace pleiad {

/// The folder of this project, where tests find the demo model. One source knows it, so that all
/// others compile to the same objects in every clone.
std::string source_path(const std::string& below = "");

/// What stands below tests/golden: the expected values from the reference.
std::string golden_path(const std::string& below = "");

}  // namespace pleiad
