#pragma once

#include <cstddef>
#include <vector>

#include "constrain/texts/characters.h"
#include "constrain/texts/pattern_cursor.h"
#include "constrain/texts/pattern_options.h"

namespace pleiad::constrain {

/// 0-9, A-Z, _, a-z: what \w is, and \b asks for.
std::vector<CodeRange> word_characters();

/// Reads what stands for one character of some in a regular expression: escapes and brackets. What
/// is wrong with them is the cursor's problem.
class PatternClasses {
 public:
  /// The cursor lives as long as this.
  explicit PatternClasses(PatternCursor& cursor) : cursor_(cursor) {}

  /// What '.' is.
  static std::vector<CodeRange> dot(const PatternOptions& options);
  /// Behind the '[', up to the ']'. Sorted and apart.
  std::vector<CodeRange> bracket(const PatternOptions& options);
  /// Behind the backslash.
  std::vector<CodeRange> escape(const PatternOptions& options, bool in_brackets);

 private:
  using Ranges = std::vector<CodeRange>;

  Ranges flat_bracket(const PatternOptions& options);
  Ranges nested_bracket(const PatternOptions& options, int depth);
  Ranges nested_item(const PatternOptions& options, int depth);
  Ranges member_or_range(const PatternOptions& options);
  Ranges member(const PatternOptions& options);
  Ranges posix_class();
  Ranges combined(char how, const Ranges& left, const Ranges& right);
  Ranges property(const PatternOptions& options, bool is_negated);
  void refuse_word(char c);
  char32_t code_unit();
  char32_t coded(std::size_t n_digits, bool may_have_braces);

  PatternCursor& cursor_;
  std::size_t n_property_ranges_ = 0;  // of all properties that were named
  std::size_t n_combined_ = 0;         // ranges that were put together
};

}  // namespace pleiad::constrain
