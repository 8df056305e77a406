#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "constrain/grammars/lark_lexer.h"
#include "constrain/grammars/source_text.h"

namespace pleiad::constrain::grammars {

/// The words of a grammar in Lark, and which of them is read next. Behind the first problem that is
/// the end.
class LarkWords {
 public:
  using Kind = LarkWord::Kind;

  /// The source lives as long as this.
  explicit LarkWords(SourceText& source) : source_(source), words_(lex_lark(source)) {}

  const LarkWord& next(std::size_t ahead = 0) const;
  bool is(Kind kind, std::size_t ahead = 0) const { return next(ahead).kind == kind; }
  bool is_sign(std::string_view sign, std::size_t ahead = 0) const;
  bool at_end() const { return is(Kind::end); }
  void skip(std::size_t n = 1) { at_ += n; }
  std::size_t at() const { return at_; }
  /// To a word that was the next one before.
  void go_to(std::size_t at) { at_ = at; }
  /// The next word, which is skipped.
  LarkWord take();
  bool take_sign(std::string_view sign);
  void expect(std::string_view sign);
  void skip_lines();
  /// Whether the next line begins with this sign.
  bool goes_on_with(std::string_view sign) const;
  /// At most five digits; anything else is a problem.
  std::uint32_t take_number();
  /// Whether a rule of the grammar has an attribute of this name, or anything looks like it.
  bool may_have_attribute(std::string_view name) const;

  /// A problem at the next word.
  void fail(std::string_view why);
  /// The next word for people.
  std::string found() const;

 private:
  SourceText& source_;
  std::vector<LarkWord> words_;
  std::size_t at_ = 0;
};

}  // namespace pleiad::constrain::grammars
