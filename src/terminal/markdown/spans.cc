#include "terminal/markdown/spans.h"

#include <algorithm>

#include "base/utf8.h"
#include "terminal/markdown/span_ends.h"

namespace pleiad::terminal {
namespace {

constexpr std::string_view kMarks = "*_~";
constexpr std::string_view kSchemes[] = {"http://", "https://"};

/// What a mark of the text may look at: the rest of the line, or as much of it as a span may be
/// long, which is then as good as complete.
struct Window {
  std::string_view text;
  bool is_complete;

  Window(std::string_view line, bool line_is_complete)
      : text(line.substr(0, MarkdownSpans::kLongestSpan)),
        is_complete(line_is_complete || text.size() == MarkdownSpans::kLongestSpan) {}
};

TextStyle style_of(char mark, std::size_t n) {
  if (mark == '~') return kStruck;
  return n == 1 ? kItalic : n == 2 ? kBold : kBold | kItalic;
}

bool is_span(char mark, std::size_t n) { return mark == '~' ? n == 2 : n <= 3; }

bool ends_address(char c) {
  constexpr std::string_view kEnds = " \t*`)>\"'";
  return kEnds.find(c) != std::string_view::npos;
}

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::size_t MarkdownSpans::take(std::string_view line, bool is_complete, TextStyle style,
                                WrappedLines& out) {
  const char c = line[0];
  if (in_address_) {
    if (!ends_address(c)) return take_character(line, style, out);
    in_address_ = false;
  }
  if (c == '`') return take_code(line, is_complete, style, out);
  if (kMarks.find(c) != std::string_view::npos) return take_marks(line, is_complete, style, out);
  if (c == '\\') {
    constexpr std::string_view kEscaped = "*_~`";
    if (line.size() == 1 && !is_complete) return 0;
    if (line.size() > 1 && kEscaped.find(line[1]) != std::string_view::npos) {
      take_character(line.substr(1), style, out);
      return 2;
    }
  }
  if (c == 'h' && !is_word_byte(previous_)) {
    for (const std::string_view scheme : kSchemes) {
      if (line.starts_with(scheme)) {
        in_address_ = true;
      } else if (!is_complete && scheme.starts_with(line)) {
        return 0;
      }
    }
  }
  return take_character(line, style, out);
}

std::size_t MarkdownSpans::take_character(std::string_view line, TextStyle style,
                                          WrappedLines& out) {
  const std::size_t length = std::max<std::size_t>(1, utf8_length(line));
  const std::string_view character = line.substr(0, length);
  if (line[0] == ' ') {
    out.add_space(style);
  } else if (line[0] == '\t') {
    out.add_tab(style);
  } else {
    out.add(style, character);
  }
  previous_ = character.back();
  return length;
}

void MarkdownSpans::take_all(std::string_view text, TextStyle style, WrappedLines& out) {
  while (!text.empty()) text.remove_prefix(take_character(text, style, out));
}

std::size_t MarkdownSpans::take_code(std::string_view line, bool is_complete, TextStyle style,
                                     WrappedLines& out) {
  const Window window(line, is_complete);
  const std::size_t n = count_marks(window.text, '`');
  if (n == window.text.size() && !window.is_complete) return 0;
  const SpanEnd end = find_code_end(window.text.substr(n), n, window.is_complete);
  if (end.kind == SpanEnd::Kind::undecided) return 0;
  if (end.kind == SpanEnd::Kind::none) {
    take_all(window.text.substr(0, n), style, out);
    return n;
  }
  std::string_view code = window.text.substr(n, end.at);
  if (code.size() > 2 && code.starts_with(' ') && code.ends_with(' ')) {
    code = code.substr(1, code.size() - 2);
  }
  take_all(code, style | kCode, out);
  previous_ = '`';
  return n + end.at + n;
}

std::size_t MarkdownSpans::take_marks(std::string_view line, bool is_complete, TextStyle style,
                                      WrappedLines& out) {
  const char mark = line[0];
  const Window window(line, is_complete);
  const std::size_t n = count_marks(window.text, mark);
  const bool at_end = n == window.text.size();
  if (at_end && !window.is_complete) return 0;
  constexpr int kDeepest = 4;  // spans within spans
  SpanEnd end = {SpanEnd::Kind::none, 0};
  if (!at_end && is_span(mark, n) && depth_ < kDeepest &&
      may_open(mark, previous_, window.text[n])) {
    end = find_span_end(window.text.substr(n), mark, n, window.is_complete);
  }
  if (end.kind == SpanEnd::Kind::undecided) return 0;
  if (end.kind == SpanEnd::Kind::none) {
    take_all(window.text.substr(0, n), style, out);
    return n;
  }
  MarkdownSpans inner;
  inner.depth_ = depth_ + 1;
  std::string_view content = window.text.substr(n, end.at);
  while (!content.empty()) {
    content.remove_prefix(inner.take(content, true, style | style_of(mark, n), out));
  }
  previous_ = mark;
  return n + end.at + n;
}

}  // namespace pleiad::terminal
