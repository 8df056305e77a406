#include "constrain/grammars/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace pleiad::constrain::grammars {

char32_t SourceText::take_character() {
  const std::size_t length = utf8_length(rest());
  if (length == 0) {
    fail(at_end() ? "the grammar ends too early" : "the grammar is not UTF-8");
    return 0;
  }
  const char32_t code = text::first_character(rest());
  skip(length);
  return code;
}

char32_t SourceText::take_hex(std::size_t n_digits) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  char32_t code = 0;
  for (std::size_t i = 0; i < n_digits; ++i) {
    const std::size_t digit = at_end() ? std::string_view::npos : kDigits.find(peek());
    if (digit == std::string_view::npos) {
      fail(fmt::format("expected {} hexadecimal digits, found {}", n_digits, found()));
      return 0;
    }
    code = code * 16 + static_cast<char32_t>(digit > 15 ? digit - 6 : digit);
    skip(1);
  }
  if (code <= 0x10FFFF) return code;
  fail("expected the number of a character, which is at most 10FFFF");
  return 0;
}

bool SourceText::take_number(std::uint32_t most, std::uint32_t& out) {
  const std::size_t begin = at_;
  std::uint64_t number = 0;
  while (peek() >= '0' && peek() <= '9' && number <= most) {
    number = number * 10 + static_cast<std::uint64_t>(peek() - '0');
    skip(1);
  }
  out = static_cast<std::uint32_t>(number);
  if (at_ > begin && number <= most) return true;
  fail_at(begin, at_ == begin ? fmt::format("expected a number, found {}", found())
                              : fmt::format("expected a number up to {}", most));
  return false;
}

std::string SourceText::place(std::size_t at) const {
  const std::string_view before = text_.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, utf8_count(before.substr(begin)) + 1);
}

void SourceText::fail_at(std::size_t at, std::string_view why) {
  if (problem_.empty()) problem_ = fmt::format("{}: {}", place(at), why);
  at_ = text_.size();
}

std::string SourceText::found() const {
  if (at_end()) return "the end";
  if (peek() == '\n' || peek() == '\r') return "the end of the line";
  const std::size_t length = std::max<std::size_t>(utf8_length(rest()), 1);
  return fmt::format("'{}'", printable(rest().substr(0, length)));
}

}  // namespace pleiad::constrain::grammars
