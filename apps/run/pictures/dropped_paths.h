#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pleiad::apps {

/// The pictures that a line names and does nothing else: what a terminal types for files that are
/// dropped on it, or what was copied in a file manager. Paths are quoted or escaped as for a shell,
/// bare, or file:// addresses, with blanks or ends of lines between them; a line as a whole may be
/// one path with blanks. Every one has to be a file here that begins as a picture does: all else is
/// a message.
std::optional<std::vector<std::filesystem::path>> dropped_pictures(
    std::string_view text, const std::filesystem::path& home);

/// The path that the text begins with, as a person types it behind a command, and what follows:
/// quoted, escaped, or the longest beginning up to a blank that names a file.
std::pair<std::filesystem::path, std::string> take_path(std::string_view text,
                                                        const std::filesystem::path& home);

/// A path with a backslash before what a shell, and take_path(), would take otherwise.
std::string escaped_path(std::string_view path);

}  // namespace pleiad::apps
