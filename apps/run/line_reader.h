#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace pleiad::apps {

enum class ReadResult { line, interrupted, end };

/// Where the user's lines come from.
class LineReader {
 public:
  virtual ~LineReader() = default;
  /// Reads a line without its newline. interrupted: Ctrl-C; end: Ctrl-D, or the
  /// end of the file.
  virtual ReadResult read(const std::string& prompt, std::string& line) = 0;
};

/// With editing and history (kept in `history_file` unless that is empty) at a
/// terminal, else plain lines of the standard input.
std::unique_ptr<LineReader> make_line_reader(const std::filesystem::path& history_file);

}  // namespace pleiad::apps
