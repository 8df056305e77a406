#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace pleiad::serving {

/// Tells whether a model's files are still those that were loaded.
struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  // the latest time of change

  bool operator==(const FileStamp&) const = default;
};

/// Of a file, or of all files right in a folder; nothing where it cannot be read.
std::optional<FileStamp> file_stamp(const std::filesystem::path& path);

}  // namespace pleiad::serving
