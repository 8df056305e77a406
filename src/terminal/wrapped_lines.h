#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/text_style.h"

namespace pleiad::terminal {

/// A piece of text in one style.
struct StyledText {
  TextStyle style = kPlain;
  std::string text;
};

/// Lines of words for a terminal of so many columns: a word that does not fit begins the next line,
/// behind the line's indent; one that is longer than a line is divided. What came out is never
/// changed again, so a word waits for its end. Every line that came out is plain at its end.
class WrappedLines {
 public:
  /// 0: nothing is wrapped. Counts from the next word on.
  void set_columns(int columns) { columns_ = columns; }

  /// What the next line begins with, and what each line does that it is continued on. Columns as of
  /// display_width(); without controls.
  void begin_line(std::vector<StyledText> first, std::vector<StyledText> rest);
  /// A character of a word (one code point, no control).
  void add(TextStyle style, std::string_view character);
  /// Between words: a place to break.
  void add_space(TextStyle style);
  /// A tab: blanks up to the next column that eight divides.
  void add_tab(TextStyle style);
  /// Text of one line that is never broken; tabs stay.
  void add_verbatim(TextStyle style, std::string_view text);
  void end_line();
  /// The word that waits comes out; the style ends.
  void flush();

  /// Nothing is on the line.
  bool at_line_start() const { return column_ == 0 && word_.empty(); }
  /// What came out since the last time.
  std::string take();

 private:
  void put(TextStyle style, std::string_view text);
  void put_prefix(const std::vector<StyledText>& prefix);
  void break_line();
  void end_word();

  int columns_ = 0;
  std::string out_;
  TextStyle shown_ = kPlain;
  int column_ = 0;
  std::vector<StyledText> rest_;  // the prefix of continued lines
  int line_prefix_ = 0;           // columns of the present line's prefix
  int n_spaces_ = 0;              // before the word
  TextStyle space_style_ = kPlain;
  std::vector<StyledText> word_;
  int word_width_ = 0;
  bool after_joiner_ = false;
};

}  // namespace pleiad::terminal
