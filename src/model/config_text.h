#pragma once

#include <filesystem>
#include <string>

namespace pleiad {

/// The text of a config.json or another small file of a checkpoint. Throws LoadError where it
/// is a page of the web or a pointer instead (formats/not_a_model.h), or has more than 4 MiB.
std::string read_config_text(const std::filesystem::path& path);

}  // namespace pleiad
