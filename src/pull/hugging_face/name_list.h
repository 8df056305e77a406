#pragma once

#include <string>
#include <vector>

namespace pleiad::pull::hugging_face {

/// "a, b, c", what names hold made safe to show; of many, the first twelve and how many more there
/// are.
std::string name_list(const std::vector<std::string>& names);

}  // namespace pleiad::pull::hugging_face
