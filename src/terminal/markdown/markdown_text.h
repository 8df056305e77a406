#pragma once

#include <string>
#include <string_view>

#include "base/terminal_text.h"
#include "terminal/markdown/line_start.h"
#include "terminal/markdown/spans.h"
#include "terminal/terminal_bytes.h"
#include "terminal/wrapped_lines.h"

namespace pleiad::terminal {

/// How a reply is shown.
struct TextLook {
  bool markdown = false;    // headings, lists and the like in styles; else as the model wrote it
  int columns = 0;          // of the terminal: words are wrapped; 0: nothing is
  TextStyle base = kPlain;  // of all of it
};

/// What a model writes, shown at a terminal while it comes: any bytes, in pieces, wherever they are
/// cut; the pieces that come out are together the same. What came out is never changed again. So
/// what waits is what only the next bytes decide: the beginning of a line, the word at its end, and
/// from a mark that may have a partner to that (MarkdownSpans::kLongestSpan at most). Code between
/// fences and lines of tables are shown as they are, never wrapped. What a terminal would obey is
/// shown instead (base/terminal_text.h).
class MarkdownText {
 public:
  explicit MarkdownText(TextLook look);

  TerminalBytes push(std::string_view piece);
  /// The rest, at the end: what waits comes out as it is. Afterwards another text may begin.
  TerminalBytes finish();

  /// The terminal's size changed; counts for the lines that come. No effect where nothing is
  /// wrapped.
  void set_columns(int columns);
  /// Nothing is on the line.
  bool at_line_start() const { return pending_.empty() && lines_.at_line_start(); }

 private:
  enum class State { line_start, text, verbatim };

  void take(bool is_complete);
  std::size_t take_line_start(std::string_view line, bool is_complete);
  std::size_t take_quotes(std::string_view line, bool is_complete);
  std::size_t take_code_line(std::string_view line, bool is_complete);
  std::size_t begin(const LineStart& start, std::string_view line);
  /// `shown`: what the line begins with; continued ones begin with blanks as wide as `hangs`.
  void begin_text(std::string_view shown, std::string_view hangs, TextStyle style);
  void end_line();

  TextLook look_;
  TerminalTextStream filter_;
  std::string pending_;  // filtered, not yet shown
  WrappedLines lines_;
  MarkdownSpans spans_;
  State state_ = State::line_start;
  TextStyle style_ = kPlain;  // of the line's text
  Fence fence_;               // of the code that the lines belong to
  bool quotes_taken_ = false;
  std::size_t n_quotes_ = 0;        // marks of quotes on this line
  std::size_t n_fence_quotes_ = 0;  // on the line of the fence
};

}  // namespace pleiad::terminal
