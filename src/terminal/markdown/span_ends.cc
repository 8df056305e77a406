#include "terminal/markdown/span_ends.h"

namespace pleiad::terminal {
namespace {

bool is_span_blank(char c) { return c == ' ' || c == '\t' || c == 0; }
bool is_span_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
/// Of a character that is not ASCII: a letter for `_`, and no hindrance for `*` (languages without
/// spaces between words).
bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }

}  // namespace

std::size_t count_marks(std::string_view text, char mark) {
  const std::size_t end = text.find_first_not_of(mark);
  return end == std::string_view::npos ? text.size() : end;
}

bool may_open(char mark, char before, char next) {
  constexpr std::string_view kClosing = ")]}";
  if (is_span_blank(next) || is_span_word(before) ||
      kClosing.find(before) != std::string_view::npos) {
    return false;
  }
  return mark != '_' || !is_foreign(before);
}

bool may_close(char mark, char before, char next) {
  constexpr std::string_view kOpening = "([{";
  if (is_span_blank(before) || is_span_word(next) ||
      kOpening.find(next) != std::string_view::npos) {
    return false;
  }
  return mark != '_' || !is_foreign(next);
}

SpanEnd find_code_end(std::string_view text, std::size_t n, bool is_complete) {
  std::size_t at = 0;
  while (at < text.size()) {
    at = text.find('`', at);
    if (at == std::string_view::npos) break;
    const std::size_t length = count_marks(text.substr(at), '`');
    if (at + length == text.size() && !is_complete) return {};
    if (length == n) return {SpanEnd::Kind::found, at};
    at += length;
  }
  if (is_complete) return {SpanEnd::Kind::none, 0};
  return {};
}

SpanEnd find_span_end(std::string_view text, char mark, std::size_t n, bool is_complete) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\\') {
      at += 2;
    } else if (text[at] == '`') {
      const std::size_t length = count_marks(text.substr(at), '`');
      if (at + length >= text.size()) break;
      const SpanEnd end = find_code_end(text.substr(at + length), length, is_complete);
      if (end.kind == SpanEnd::Kind::undecided) return end;
      at += length + (end.kind == SpanEnd::Kind::found ? end.at + length : 0);
    } else if (text[at] == mark) {
      const std::size_t length = count_marks(text.substr(at), mark);
      const bool at_end = at + length >= text.size();
      if (at_end && !is_complete) return {};
      const char before = at > 0 ? text[at - 1] : ' ';
      const char next = at_end ? '\0' : text[at + length];
      if (length == n && may_close(mark, before, next)) return {SpanEnd::Kind::found, at};
      at += length;
    } else {
      ++at;
    }
  }
  if (is_complete) return {SpanEnd::Kind::none, 0};
  return {};
}

}  // namespace pleiad::terminal
