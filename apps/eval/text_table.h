#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pleiad::apps {

/// Rows of cells as lines with aligned columns, the first row being the heads. The first
/// column is flush left, the others are flush right.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace pleiad::apps
