#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace pleiad::serving {

/// Tells whether a model's files are still those that were loaded.
struct FileStamp {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;  // their sum: another file of the same name has another
  std::int64_t written = 0;  // the latest change of a content, in nanoseconds since 1970
  std::int64_t changed = 0;  // and of anything else: a time that is set back hides nothing

  bool operator==(const FileStamp&) const = default;
};

/// Of a file, or of all files right in a folder, and of a projector where one is named, else of
/// those beside a file; nothing where they cannot be read.
std::optional<FileStamp> file_stamp(const std::filesystem::path& path,
                                    const std::filesystem::path& projector = {});

}  // namespace pleiad::serving
