#pragma once

#include <string_view>

#include "terminal/wrapped_lines.h"

namespace pleiad::terminal {

/// The text within a line of Markdown, as it comes: **bold**, *italic*, ***both***, ~~struck~~,
/// `code`. Marks vanish where they have a partner on the same line, within kLongestSpan; all others
/// are printed as they are. Stricter than CommonMark where people write no Markdown: a mark next to
/// an ASCII letter or digit on its outer side is text (2*3*4, snake_case, x**2), and so is what
/// stands in an address (https://...).
class MarkdownSpans {
 public:
  /// How far marks look for their partner, in bytes: what is held back at most.
  static constexpr std::size_t kLongestSpan = 500;

  /// Takes what `line` begins with and cannot mean anything else, whatever follows, and gives its
  /// bytes; 0: more must come. `line`: the rest of the line, not empty, without its end;
  /// `is_complete`: nothing will follow in it.
  std::size_t take(std::string_view line, bool is_complete, TextStyle style, WrappedLines& out);
  /// The character that `line` begins with, whatever it is; gives its bytes.
  std::size_t take_character(std::string_view line, TextStyle style, WrappedLines& out);
  /// A line begins.
  void begin() { *this = {}; }

 private:
  std::size_t take_code(std::string_view line, bool is_complete, TextStyle style,
                        WrappedLines& out);
  std::size_t take_marks(std::string_view line, bool is_complete, TextStyle style,
                         WrappedLines& out);
  void take_all(std::string_view text, TextStyle style, WrappedLines& out);

  char previous_ = ' ';  // the byte before
  bool in_address_ = false;
  int depth_ = 0;
};

}  // namespace pleiad::terminal
