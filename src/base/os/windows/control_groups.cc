#include "base/control_groups.h"

namespace pleiad {

// Windows limits groups of processes by job objects, which have no folders.
std::vector<std::filesystem::path> control_groups(const std::filesystem::path&) { return {}; }

std::vector<std::filesystem::path> version_1_control_groups(const std::filesystem::path&,
                                                            std::string_view) {
  return {};
}

}  // namespace pleiad
