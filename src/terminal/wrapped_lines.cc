#include "terminal/wrapped_lines.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "terminal/display_width.h"

namespace pleiad::terminal {
namespace {

int width_of(const std::vector<StyledText>& pieces) {
  int width = 0;
  for (const StyledText& piece : pieces) width += display_width(piece.text);
  return width;
}

/// What may not begin a line of Chinese, Japanese or Korean.
bool closes(std::string_view character) {
  constexpr std::string_view kClosing = "。，、．！？：；）］｝」』】》〉〕ーっゃゅょッャュョ…";
  return kClosing.find(character) != std::string_view::npos;
}

}  // namespace

void WrappedLines::put(TextStyle style, std::string_view text) {
  if (text.empty()) return;
  if (style != shown_) out_ += style_sequence(style);
  shown_ = style;
  out_ += text;
  column_ += display_width(text);
}

void WrappedLines::put_prefix(const std::vector<StyledText>& prefix) {
  for (const StyledText& piece : prefix) put(piece.style, piece.text);
  line_prefix_ = column_;
}

void WrappedLines::begin_line(std::vector<StyledText> first, std::vector<StyledText> rest) {
  rest_ = std::move(rest);
  // Where the indent leaves no room for words, there is none.
  constexpr int kLeastRoom = 10;
  if (columns_ > 0 && width_of(rest_) > columns_ - kLeastRoom) rest_.clear();
  put_prefix(first);
}

void WrappedLines::break_line() {
  if (shown_ != kPlain) out_ += style_sequence(kPlain);
  shown_ = kPlain;
  out_ += '\n';
  column_ = 0;
  n_spaces_ = 0;
}

void WrappedLines::end_word() {
  if (word_.empty()) return;
  const bool fits = columns_ <= 0 || column_ + n_spaces_ + word_width_ <= columns_;
  if (!fits && column_ > line_prefix_) {
    break_line();
    put_prefix(rest_);
  } else if (n_spaces_ > 0) {
    put(space_style_, std::string(static_cast<std::size_t>(n_spaces_), ' '));
  }
  n_spaces_ = 0;
  for (const StyledText& piece : word_) put(piece.style, piece.text);
  word_.clear();
  word_width_ = 0;
}

void WrappedLines::add(TextStyle style, std::string_view character) {
  const char32_t code = utf8_code_point(character);
  const int width = display_width(code);
  const bool joins = after_joiner_ || width == 0 || (code >= 0x1F3FB && code <= 0x1F3FF);
  // A line may be broken before a wide character, but for what must not begin a line.
  const bool begins = !joins && width == 2 && !closes(character);
  // A word as long as a line is divided.
  const bool is_full =
      columns_ > 0 && word_width_ + width > std::max(columns_ - width_of(rest_), 2);
  if (begins || (is_full && !joins)) end_word();
  after_joiner_ = code == 0x200D;
  if (word_.empty() || word_.back().style != style) word_.push_back({style, {}});
  word_.back().text += character;
  word_width_ += width;
  if (columns_ <= 0) end_word();
}

void WrappedLines::add_space(TextStyle style) {
  end_word();
  after_joiner_ = false;
  if (columns_ <= 0) return put(style, " ");
  // More than a line of them is as good as one line.
  n_spaces_ = std::min(n_spaces_ + 1, columns_);
  space_style_ = style;
}

void WrappedLines::add_tab(TextStyle style) {
  end_word();
  after_joiner_ = false;
  if (columns_ <= 0) return put(style, "\t");
  constexpr int kTab = 8;
  const int n = kTab - (column_ + n_spaces_) % kTab;
  for (int i = 0; i < n; ++i) add_space(style);
}

void WrappedLines::add_verbatim(TextStyle style, std::string_view text) {
  if (text.empty()) return;
  end_word();
  if (n_spaces_ > 0) put(space_style_, std::string(static_cast<std::size_t>(n_spaces_), ' '));
  n_spaces_ = 0;
  put(style, text);
}

void WrappedLines::end_line() {
  end_word();
  break_line();
  rest_.clear();
  line_prefix_ = 0;
  after_joiner_ = false;
}

void WrappedLines::flush() {
  end_word();
  if (shown_ != kPlain) out_ += style_sequence(kPlain);
  shown_ = kPlain;
}

std::string WrappedLines::take() { return std::exchange(out_, {}); }

}  // namespace pleiad::terminal
