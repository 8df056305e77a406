#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/terminal_text.h"
#include "terminal/terminal_bytes.h"

namespace pleiad::apps {

// All that the program prints. Nothing else writes to the standard output or the error output
// (tests/output_test.py holds that), so that what comes from outside is filtered by
// base/terminal_text.h and a command cannot forget it. All of these write at once, and throw
// Error when the reader has gone away or the disk is full, unless they say otherwise.

enum class Style { plain, dim };

/// A report, a table, a line, JSON: to the standard output, filtered always.
void print(std::string_view text);

/// What src/terminal made for a terminal, filtered there: to the standard output as it is.
void print(const terminal::TerminalBytes& made);

/// A note or a warning: to the error output, filtered always. Dim for terminals with colours.
void print_note(std::string_view text, Style style = Style::plain);

/// "pleiad: MESSAGE", of what ended the command. Lines after the first are moved to the right, so
/// that a name with an end of line cannot write an error of its own.
void print_failure(std::string_view message) noexcept;

/// The text of an error with its later lines moved to the right.
std::string indent_later_lines(std::string_view text);

/// What a model said, a prompt, a Modelfile: text that a program may want byte for byte. A terminal
/// gets it filtered, and so does the error output, wherever it leads; a pipe or a file gets it
/// as it is.
class TextOutput {
 public:
  /// `file`: stdout or stderr.
  explicit TextOutput(std::FILE* file);

  /// A piece; what may be a part of a character waits for the next.
  void write(std::string_view piece);
  /// Our own sequence between pieces; ends the piece before.
  void set_style(Style style);
  /// The text ends here; another may begin.
  void finish();

 private:
  std::FILE* file_;
  bool filters_;
  TerminalTextStream stream_;
};

}  // namespace pleiad::apps
