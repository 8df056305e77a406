#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/media/media_prompt.h"

namespace pleiad::apps {

/// The pictures, sounds, videos and documents that a line names and does nothing else: what a
/// terminal types for files that are dropped on it, or what was copied in a file manager. Paths are
/// quoted or escaped as for a shell, bare, or file:// addresses, with blanks or ends of lines
/// between them; a line as a whole may be one path with blanks. Every one has to be a file here
/// that is one by its content: all else is a message. So is the path of a text that does not begin
/// at the root or at home, as dropped ones do: a word may be the name of some file here.
struct DroppedFile {
  std::filesystem::path path;
  ShownMedia::Kind kind = ShownMedia::Kind::picture;
  std::string pages = {};  // of a document, that are wanted; empty: all

  bool operator==(const DroppedFile&) const = default;
};
std::optional<std::vector<DroppedFile>> dropped_media(std::string_view text,
                                                      const std::filesystem::path& home);

/// What a file is by its content; none where there is no such file, or it is a text that is no
/// dropped one.
std::optional<ShownMedia::Kind> kind_of_file(const std::filesystem::path& path);

/// The path that the text begins with, as a person types it behind a command, and what follows:
/// quoted, escaped, or the longest beginning up to a blank that names a file.
std::pair<std::filesystem::path, std::string> take_path(std::string_view text,
                                                        const std::filesystem::path& home);

/// The pages that the text begins with ("3-7,9", "12-"; none where it does not begin with numbers),
/// and what follows.
std::pair<std::string, std::string> take_pages(std::string_view text);

/// A path with a backslash before what a shell, and take_path(), would take otherwise.
std::string escaped_path(std::string_view path);

}  // namespace pleiad::apps
