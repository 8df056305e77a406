#include "terminal/markdown/line_start.h"

#include <algorithm>

#include "terminal/markdown/span_ends.h"

namespace pleiad::terminal {
namespace {

using LineKind = LineStart::Kind;

constexpr std::string_view kBlanks = " \t";
/// The lines of fences and rules are known when they are whole, or longer than that.
constexpr std::size_t kLongestFenceLine = 200;
constexpr std::size_t kLeastFence = 3;

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_blanks(std::string_view text) {
  const std::size_t end = text.find_first_not_of(kBlanks);
  return end == std::string_view::npos ? text.size() : end;
}

/// "---", "* * *": three or more of one mark and blanks.
enum class IsRule { no, yes, undecided };
IsRule is_rule(std::string_view text, bool is_complete) {
  // Nobody draws longer ones; what waits is bounded.
  if (text.size() > kLongestFenceLine) return IsRule::no;
  std::size_t n = 0;
  for (const char c : text) {
    if (c == text[0]) {
      ++n;
    } else if (!is_blank(c)) {
      return IsRule::no;
    }
  }
  if (is_complete) return n >= 3 ? IsRule::yes : IsRule::no;
  return IsRule::undecided;
}

struct Line {
  std::string_view text;  // behind the indent
  bool is_complete;
  LineStart start;  // the indent filled in

  LineStart is(LineKind kind) const {
    LineStart found = start;
    found.kind = kind;
    return found;
  }
  LineStart undecided_or(LineKind kind) const {
    return is(is_complete ? kind : LineKind::undecided);
  }

  /// A marker of so many bytes with a blank or the end behind it, else text.
  LineStart marked(LineKind kind, std::size_t length) const {
    if (length == text.size()) return is_complete ? with(kind, length, 0) : is(LineKind::undecided);
    if (!is_blank(text[length])) return is(LineKind::text);
    // The blanks behind it belong to it; how many there are is seen when another character comes.
    const std::size_t blanks = count_blanks(text.substr(length));
    if (length + blanks == text.size() && !is_complete && blanks < kMostBlanks) {
      return is(LineKind::undecided);
    }
    return with(kind, length, std::min(blanks, kMostBlanks));
  }

 private:
  static constexpr std::size_t kMostBlanks = 4;

  LineStart with(LineKind kind, std::size_t length, std::size_t blanks) const {
    LineStart found = is(kind);
    found.marker = text.substr(0, length);
    found.length = found.indent + length + blanks;
    if (kind == LineKind::heading) found.level = length;
    return found;
  }
};

LineStart of_hashes(const Line& line) {
  constexpr std::size_t kDeepest = 6;
  const std::size_t n = count_marks(line.text, '#');
  if (n > kDeepest) return line.is(LineKind::text);
  return line.marked(LineKind::heading, n);
}

LineStart of_number(const Line& line) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t n = 0;
  while (n < line.text.size() && is_digit(line.text[n])) ++n;
  if (n > kMostDigits) return line.is(LineKind::text);
  if (n == line.text.size()) return line.undecided_or(LineKind::text);
  if (line.text[n] != '.' && line.text[n] != ')') return line.is(LineKind::text);
  return line.marked(LineKind::item, n + 1);
}

LineStart of_fence(const Line& line) {
  const char mark = line.text[0];
  const std::size_t n = count_marks(line.text, mark);
  if (n == line.text.size() && !line.is_complete && n < kLongestFenceLine) {
    return line.is(LineKind::undecided);
  }
  if (n < kLeastFence) return line.is(LineKind::text);
  // `code` on one line may have that many backticks too.
  if (mark == '`' && line.text.find('`', n) < kLongestFenceLine) return line.is(LineKind::text);
  if (line.text.size() >= kLongestFenceLine) return line.is(LineKind::text);
  return line.undecided_or(LineKind::fence);
}

LineStart of_bullet(const Line& line) {
  switch (is_rule(line.text, line.is_complete)) {
    case IsRule::yes:
      return line.is(LineKind::rule);
    case IsRule::undecided:
      return line.is(LineKind::undecided);
    case IsRule::no:
      break;
  }
  return line.text[0] == '_' ? line.is(LineKind::text) : line.marked(LineKind::item, 1);
}

}  // namespace

LineStart find_line_start(std::string_view line, bool is_complete) {
  // More blanks than that are a line's beginning as it is.
  constexpr std::size_t kDeepestIndent = 100;
  LineStart start;
  start.indent = count_blanks(line);
  if (start.indent >= kDeepestIndent) {
    start.indent = kDeepestIndent;
    start.kind = LineKind::text;
    return start;
  }
  const Line rest = {line.substr(start.indent), is_complete, start};
  if (rest.text.empty()) return rest.undecided_or(LineKind::blank);
  switch (rest.text[0]) {
    case '#':
      return of_hashes(rest);
    case '`':
    case '~':
      return of_fence(rest);
    case '-':
    case '*':
    case '_':
      return of_bullet(rest);
    case '+':
      return rest.marked(LineKind::item, 1);
    case '|':
      return rest.is(LineKind::verbatim);
    default:
      return is_digit(rest.text[0]) ? of_number(rest) : rest.is(LineKind::text);
  }
}

Fence fence_of(std::string_view line) {
  const std::size_t indent = count_blanks(line);
  if (indent == line.size()) return {};
  return {line[indent], count_marks(line.substr(indent), line[indent])};
}

ClosesFence closes_fence(std::string_view line, const Fence& fence, bool is_complete) {
  if (line.size() > kLongestFenceLine) return ClosesFence::no;
  const std::size_t indent = count_blanks(line);
  const std::size_t n = count_marks(line.substr(indent), fence.mark);
  const std::size_t behind = count_blanks(line.substr(indent + n));
  if (indent + n + behind < line.size()) return ClosesFence::no;
  if (is_complete) return n >= fence.length ? ClosesFence::yes : ClosesFence::no;
  return ClosesFence::undecided;
}

}  // namespace pleiad::terminal
