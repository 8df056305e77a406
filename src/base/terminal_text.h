#pragma once

#include <string>
#include <string_view>

namespace pleiad {

/// Text from outside (a reply, a file's name or metadata, a server's answer) as a terminal may be
/// sent it: what a terminal obeys, and what turns the order of text around, is shown instead.
/// C0 controls but tabs and ends of lines (LF, CR LF) become \xNN, and so do bytes that are not
/// UTF-8; DEL, the C1 controls, the ends of lines and paragraphs U+2028 and U+2029, and the
/// bidirectional embeddings, overrides and isolates (U+202A to U+202E, U+2066 to U+2069) become
/// \uNNNN. All else stays: joiners, marks, tags, text from right to left. JSON stays the same
/// JSON, since what becomes \uNNNN can only stand in its strings, and the rest is in none.
std::string terminal_text(std::string_view text);

/// The same for text that comes in pieces, wherever it is cut: the pieces that come out are
/// together terminal_text() of all that came in.
class TerminalTextStream {
 public:
  std::string push(std::string_view piece);
  /// The rest, at the end; afterwards a new text may begin.
  std::string finish();

 private:
  std::string pending_;  // a part of a character, or a carriage return; at most three bytes
};

/// The first character of `text`, which is not empty, or its first byte where that begins none.
struct TerminalCharacter {
  std::size_t length = 0;  // bytes in the text
  bool is_safe = false;    // a terminal shows it, and does nothing else; of one line
  std::string shown;       // what is shown instead, where it is not safe
};
TerminalCharacter first_terminal_character(std::string_view text);

}  // namespace pleiad
