#include "constrain/texts/pattern_cursor.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "text/unicode.h"

namespace pleiad::constrain {

bool PatternCursor::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

char PatternCursor::take_byte() {
  const char c = rest_.front();
  rest_.remove_prefix(1);
  return c;
}

char32_t PatternCursor::character() {
  const std::size_t length = rest_.empty() ? 0 : utf8_length(rest_);
  if (length == 0) {
    fail("it is not UTF-8, or ends too early");
    return 0;
  }
  const char32_t code = text::first_character(rest_);
  rest_.remove_prefix(length);
  return code;
}

void PatternCursor::skip_space() {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  while (!rest_.empty()) {
    if (rest_.front() == '#') {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    } else if (kSpace.find(rest_.front()) != std::string_view::npos) {
      rest_.remove_prefix(1);
    } else {
      return;
    }
  }
}

std::string PatternCursor::one_character() const {
  return std::string(rest_.substr(0, std::max<std::size_t>(utf8_length(rest_), 1)));
}

void PatternCursor::fail_at(std::size_t at, std::string why) {
  if (problem_.empty()) {
    problem_ = std::move(why);
    problem_at_ = at;
  }
  rest_ = {};
}

}  // namespace pleiad::constrain
