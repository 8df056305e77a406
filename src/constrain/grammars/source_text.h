#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pleiad::constrain::grammars {

/// The text of a grammar while it is read: where its reader stands, and the first problem that it
/// has met.
class SourceText {
 public:
  explicit SourceText(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }
  /// A byte of the rest; 0 behind the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts_with(std::string_view what) const { return rest().starts_with(what); }
  void skip(std::size_t n) { at_ = std::min(at_ + n, text_.size()); }
  bool take(std::string_view what) {
    if (!starts_with(what)) return false;
    skip(what.size());
    return true;
  }
  void skip_line() {
    while (!at_end() && peek() != '\n' && peek() != '\r') skip(1);
  }
  /// The next character, which there is one of. Bytes that are not UTF-8 are a problem.
  char32_t take_character();
  /// As many hexadecimal digits; anything else is a problem.
  char32_t take_hex(std::size_t n_digits);
  /// Digits up to `most`; anything else is a problem. False then.
  bool take_number(std::uint32_t most, std::uint32_t& out);

  /// "line 3, column 7"; columns are characters.
  std::string place(std::size_t at) const;

  /// Remembers the first problem, and ends the text.
  void fail(std::string_view why) { fail_at(at_, why); }
  void fail_at(std::size_t at, std::string_view why);
  bool failed() const { return !problem_.empty(); }
  /// "line 3, column 7: ...", see place().
  Failure failure() const { return Failure{problem_}; }

  /// The next thing for people: a character in quotes, or what else is there.
  std::string found() const;

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
};

}  // namespace pleiad::constrain::grammars
