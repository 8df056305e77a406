#pragma once

#include <filesystem>

namespace pleiad {

/// Something of that name exists. What cannot even be looked at counts as there: opening it
/// says why it cannot be used.
bool is_there(const std::filesystem::path& path);

}  // namespace pleiad
