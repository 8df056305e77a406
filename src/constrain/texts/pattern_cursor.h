#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace pleiad::constrain {

/// A regular expression while it is read: where its reader stands, and its first problem.
class PatternCursor {
 public:
  /// The pattern lives as long as this.
  explicit PatternCursor(std::string_view pattern) : rest_(pattern), length_(pattern.size()) {}

  bool at_end() const { return rest_.empty(); }
  /// In bytes.
  std::size_t at() const { return length_ - rest_.size(); }
  std::string_view rest() const { return rest_; }
  /// A byte of the rest; 0 behind the end.
  char peek(std::size_t ahead = 0) const { return ahead < rest_.size() ? rest_[ahead] : '\0'; }
  bool starts_with(std::string_view text) const { return rest_.starts_with(text); }
  void skip(std::size_t n) { rest_.remove_prefix(n < rest_.size() ? n : rest_.size()); }
  void back_to(std::string_view rest) { rest_ = rest; }
  bool take(std::string_view text);
  /// There is one.
  char take_byte();
  /// The next character; bytes that are none are a problem.
  char32_t character();
  /// White space, and comments from '#' to the end of the line.
  void skip_space();
  /// The next character as it is written.
  std::string one_character() const;

  /// Remembers the first problem, and ends the pattern.
  void fail(std::string why) { fail_at(at(), std::move(why)); }
  void fail_at(std::size_t at, std::string why);
  bool failed() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }
  std::size_t problem_at() const { return problem_at_; }

 private:
  std::string_view rest_;
  std::size_t length_;
  std::string problem_;
  std::size_t problem_at_ = 0;
};

}  // namespace pleiad::constrain
