#include "terminal/markdown/markdown_text.h"

#include <algorithm>

#include "terminal/display_width.h"

namespace pleiad::terminal {
namespace {

constexpr std::string_view kQuote = "│ ";
constexpr std::string_view kBullet = "•";

/// Repeated.
std::string times(std::string_view text, std::size_t n) {
  std::string all;
  for (; n > 0; --n) all += text;
  return all;
}

/// Blanks as wide as a text.
std::string blanks_of(std::string_view text) {
  constexpr std::size_t kTab = 8;
  std::string blanks;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\t'), text.size());
    blanks.append(static_cast<std::size_t>(display_width(text.substr(0, end))), ' ');
    if (end < text.size()) blanks.append(kTab - blanks.size() % kTab, ' ');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return blanks;
}

}  // namespace

MarkdownText::MarkdownText(TextLook look) : look_(look) { lines_.set_columns(look.columns); }

void MarkdownText::set_columns(int columns) {
  if (look_.columns == 0) return;
  look_.columns = columns;
  lines_.set_columns(columns);
}

TerminalBytes MarkdownText::push(std::string_view piece) {
  pending_ += filter_.push(piece);
  take(false);
  return {lines_.take()};
}

TerminalBytes MarkdownText::finish() {
  pending_ += filter_.finish();
  take(true);
  lines_.flush();
  TerminalBytes rest = {lines_.take()};
  *this = MarkdownText(look_);
  return rest;
}

// Of each line what can be taken, and its end.
void MarkdownText::take(bool is_complete) {
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const bool line_ends = end != std::string_view::npos;
    std::string_view line = rest.substr(0, end);
    if (line_ends && line.ends_with('\r')) line.remove_suffix(1);
    const bool is_whole = line_ends || is_complete;
    std::size_t taken = 0;
    while (taken < line.size() || (is_whole && state_ == State::line_start)) {
      const std::string_view left = line.substr(taken);
      std::size_t n = 0;
      const State before = state_;
      if (state_ == State::line_start) {
        if (left.empty() && !line_ends) break;
        n = take_line_start(left, is_whole);
      } else if (state_ == State::verbatim) {
        lines_.add_verbatim(style_, left);
        n = left.size();
      } else if (!look_.markdown) {
        n = spans_.take_character(left, style_, lines_);
      } else {
        n = spans_.take(left, is_whole, style_, lines_);
      }
      taken += n;
      if (n == 0 && state_ == before) break;
    }
    if (!line_ends || (taken < line.size())) {
      rest.remove_prefix(taken);
      break;
    }
    rest.remove_prefix(end + 1);
    end_line();
  }
  pending_.erase(0, pending_.size() - rest.size());
}

void MarkdownText::end_line() {
  lines_.end_line();
  state_ = State::line_start;
  quotes_taken_ = false;
  n_quotes_ = 0;
}

// The marks of quotes, then what the line is. 0 where more must come, or where nothing is taken and
// the state says how the line goes on.
std::size_t MarkdownText::take_line_start(std::string_view line, bool is_complete) {
  if (!quotes_taken_) {
    const std::size_t n = take_quotes(line, is_complete);
    if (n > 0 || !quotes_taken_) return n;
  }
  if (fence_.mark != 0 && n_quotes_ < n_fence_quotes_) fence_ = {};  // the quote has ended
  if (fence_.mark != 0) return take_code_line(line, is_complete);
  const LineStart start = find_line_start(line, is_complete);
  if (start.kind == LineStart::Kind::undecided) return 0;
  return begin(start, line);
}

std::size_t MarkdownText::take_quotes(std::string_view line, bool is_complete) {
  constexpr std::size_t kDeepest = 20;
  constexpr std::size_t kMostBlanks = 3;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const bool may_be = look_.markdown && n_quotes_ < kDeepest && indent <= kMostBlanks &&
                      (fence_.mark == 0 || n_quotes_ < n_fence_quotes_);
  if (may_be && indent == line.size() && !is_complete) return 0;
  if (!may_be || indent == line.size() || line[indent] != '>') {
    quotes_taken_ = true;
    return 0;
  }
  if (indent + 1 == line.size() && !is_complete) return 0;
  ++n_quotes_;
  return indent + (line.substr(indent + 1).starts_with(' ') ? 2 : 1);
}

std::size_t MarkdownText::take_code_line(std::string_view line, bool is_complete) {
  switch (closes_fence(line, fence_, is_complete)) {
    case ClosesFence::undecided:
      return 0;
    case ClosesFence::yes:
      fence_ = {};
      style_ = look_.markdown ? look_.base | kDim : look_.base;
      break;
    case ClosesFence::no:
      style_ = look_.base;
      break;
  }
  lines_.begin_line({{look_.base | kDim, times(kQuote, n_quotes_)}}, {});
  state_ = State::verbatim;
  return 0;
}

void MarkdownText::begin_text(std::string_view shown, std::string_view hangs, TextStyle style) {
  const std::string quotes = times(kQuote, n_quotes_);
  lines_.begin_line({{look_.base | kDim, quotes}, {look_.base, std::string(shown)}},
                    {{look_.base | kDim, quotes}, {look_.base, blanks_of(hangs)}});
  style_ = style;
  state_ = State::text;
  spans_.begin();
}

std::size_t MarkdownText::begin(const LineStart& start, std::string_view line) {
  using Kind = LineStart::Kind;
  const std::string_view indent = line.substr(0, start.indent);
  switch (start.kind) {
    case Kind::undecided:
      return 0;
    case Kind::blank:
      begin_text("", "", look_.base);
      return look_.markdown ? line.size() : 0;
    case Kind::rule:
    case Kind::fence:
    case Kind::verbatim: {
      begin_text("", "", look_.base);
      state_ = State::verbatim;
      if (start.kind == Kind::fence) {
        fence_ = fence_of(line);
        n_fence_quotes_ = n_quotes_;
      }
      const bool is_dim = look_.markdown && start.kind != Kind::verbatim;
      style_ = is_dim ? look_.base | kDim : look_.base;
      if (!is_dim || start.kind == Kind::fence) return 0;
      constexpr int kRule = 40;  // columns
      lines_.add_verbatim(style_,
                          times("─", look_.columns > 0 ? std::min(look_.columns, kRule) : kRule));
      return line.size();
    }
    case Kind::heading: {
      if (!look_.markdown) break;
      const TextStyle style = look_.base | kBold | (start.level == 1 ? kUnderlined : kPlain);
      begin_text("", "", style);
      return start.length;
    }
    case Kind::item: {
      if (!look_.markdown) {
        begin_text("", line.substr(0, start.length), look_.base);
        return 0;
      }
      std::string marker = blanks_of(indent);
      marker += start.marker.size() == 1 ? kBullet : start.marker;
      const std::size_t behind = start.indent + start.marker.size();
      marker += blanks_of(line.substr(behind, start.length - behind));
      begin_text(marker, marker, look_.base);
      return start.length;
    }
    case Kind::text:
      break;
  }
  // Its blanks are words' blanks; continued lines stand below the text.
  begin_text("", indent, look_.base);
  return 0;
}

}  // namespace pleiad::terminal
