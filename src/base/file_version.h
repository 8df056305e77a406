#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/os/file.h"

namespace pleiad {

/// What the system says of an open file, to find out later whether its content is still the same.
struct FileVersion : os::FileFacts {
  bool elsewhere = false;  // the path led to another file, or to none, when that was looked at

  /// Of a descriptor; nothing where the system does not say.
  static std::optional<FileVersion> of(int descriptor);

  bool operator==(const FileVersion&) const = default;
};

/// How the content of a file changed since the last look at its descriptor, as the end of a
/// sentence ("it has 0 bytes now, and had 12"); empty where it did not, and `last` becomes `now`.
/// `path` is where it was opened: a file that has another name, owner or mode by now, or none any
/// more, is the same. One whose times were set back after it was written (cp -p) is not; nor is,
/// to be on the safe side, one whose time of change moved and nothing else did.
std::string change_since(FileVersion& last, FileVersion now, const std::filesystem::path& path);

}  // namespace pleiad
