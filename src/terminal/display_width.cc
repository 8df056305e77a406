#include "terminal/display_width.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace pleiad::terminal {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};
#include "terminal/width_table.inl"

template <std::size_t n>
bool is_in(const CodeRange (&ranges)[n], char32_t character) {
  const auto* found = std::ranges::lower_bound(ranges, character, {}, &CodeRange::last);
  return found != std::end(ranges) && found->first <= character;
}

constexpr char32_t kJoiner = 0x200D;

bool is_regional(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool is_skin_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
/// Stays with what is before it.
bool extends(char32_t c) { return c >= 0x80 && (display_width(c) == 0 || is_skin_tone(c)); }

/// Bytes of the character at the start, and its number; a byte that is none counts as itself.
std::size_t take(std::string_view text, char32_t& character) {
  const std::size_t length = utf8_length(text);
  character = length == 0 ? U'\xFFFD' : utf8_code_point(text);
  return std::max<std::size_t>(length, 1);
}

std::size_t last_length(std::string_view text) {
  for (std::size_t length = std::min<std::size_t>(4, text.size()); length > 1; --length) {
    if (utf8_length(text.substr(text.size() - length)) == length) return length;
  }
  return 1;
}

}  // namespace

int display_width(char32_t character) {
  if (character < 0x80) return 1;
  if (is_in(kNoColumn, character)) return 0;
  return is_in(kTwoColumns, character) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  char32_t character = 0;
  for (std::size_t at = 0; at < text.size();) {
    at += take(text.substr(at), character);
    width += display_width(character);
  }
  return width;
}

std::size_t cluster_length(std::string_view text) {
  char32_t first = 0;
  std::size_t end = take(text, first);
  if (first < 0x20 || first == 0x7F || utf8_length(text) == 0) return end;
  bool joins = first == kJoiner;
  bool flag = is_regional(first);  // and its second letter may follow
  while (end < text.size()) {
    char32_t next = 0;
    const std::size_t length = take(text.substr(end), next);
    const bool belongs = extends(next) || (joins && next >= 0x80) || (flag && is_regional(next));
    if (!belongs) break;
    if (is_regional(next)) flag = false;
    joins = next == kJoiner;
    end += length;
  }
  return end;
}

std::size_t last_cluster_length(std::string_view text) {
  // From a character that surely begins one: of ASCII, or where the text does; a text of a language
  // without ASCII is bounded by the length of a cluster that anybody types.
  constexpr std::size_t kFarBack = 256;
  std::size_t start = text.size();
  while (start > 0) {
    const std::size_t length = last_length(text.substr(0, start));
    start -= length;
    const auto byte = static_cast<unsigned char>(text[start]);
    if (length == 1 && byte < 0x80) break;
    if (text.size() - start >= kFarBack) break;
  }
  std::size_t length = 0;
  for (std::size_t at = start; at < text.size(); at += length) {
    length = cluster_length(text.substr(at));
  }
  return length;
}

}  // namespace pleiad::terminal
