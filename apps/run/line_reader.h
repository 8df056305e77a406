#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "terminal/editor/line_editor.h"

namespace pleiad::apps {

enum class ReadResult {
  line,
  interrupted,  // Ctrl-C
  end,          // Ctrl-D, or the end of the file
  ended,        // the program was told to end (SIGTERM, SIGHUP)
};

/// Where the user's messages come from.
class LineReader {
 public:
  virtual ~LineReader() = default;
  /// Reads a message without its last end of line; with an editor it may have several lines.
  /// interrupted: `text` is what was thrown away.
  virtual ReadResult read(const std::string& prompt, std::string& text) = 0;
  /// For the next time.
  virtual void remember(const std::string& /*text*/) {}
};

struct LineReaderOptions {
  std::filesystem::path history_file = {};  // empty: none
  terminal::Completer complete = {};
  bool dumb_terminal = false;  // one without sequences: plain lines behind a prompt
};

/// With editing and history at a terminal, else plain lines of the standard input.
std::unique_ptr<LineReader> make_line_reader(LineReaderOptions options);

}  // namespace pleiad::apps
