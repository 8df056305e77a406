#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pleiad::pull::hugging_face {

/// What git calls these bytes: the 40 hex digits of the SHA-1 of "blob <size>\0" and them.
std::string git_blob_id(std::string_view bytes);

/// Of a file's bytes. Empty where `stop` said so. Throws Error where it cannot be read.
std::optional<std::string> git_blob_id_of_file(const std::filesystem::path& path,
                                               const std::function<bool()>& stop);

}  // namespace pleiad::pull::hugging_face
