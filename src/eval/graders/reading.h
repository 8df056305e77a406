#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/graders/reply_text.h"

// What a reply asserts. "Not Tuesday.", "Is it Tuesday?" and "Tuesday? No, Wednesday." have the
// word and do not say that it is Tuesday.
namespace pleiad::eval {

struct Token {
  enum class Kind { word, number, spelled, sign, line_end };

  Kind kind = Kind::word;
  std::string text;          // a word in lower case, the letters of a spelled one, a sign
  double value = 0;          // of a number
  bool is_capital = false;   // begins with a capital
  bool is_remark = false;    // in parentheses
  bool is_denied = false;    // "not this", "this is wrong"
  bool is_asked = false;     // in a question
  std::size_t sentence = 0;  // full stops, semicolons and ends of lines part sentences

  bool is_sign(char sign) const { return kind == Kind::sign && text[0] == sign; }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
  bool has_content() const { return kind != Kind::sign && kind != Kind::line_end; }
};

/// A reply as tokens, without its markup. Letters that stand alone, with one and the same separator
/// between them, are one spelled token: "I say: c-h-e-r-r-y", "L, E, M, O, and N".
struct Reading {
  std::vector<Token> tokens;
  /// Where the reply takes back what stands before: "sorry", "no,", "I mean".
  std::vector<std::size_t> corrections;

  /// The tokens, by index, that are candidates and that the reply neither denies nor asks nor
  /// takes back; without remarks in parentheses where something is left.
  std::vector<std::size_t> asserted(const std::function<bool(std::size_t)>& is_candidate) const;
  /// Of `asserted`, those of the last sentence that names them the answer ("The answer is ..."),
  /// or that follow such a sentence; all where there is none.
  std::vector<std::size_t> called_answer(const std::vector<std::size_t>& asserted) const;
  /// Whether one is offered beside the other: "this or that", "between this and that".
  bool are_alternatives(std::size_t first, std::size_t second) const;
};

Reading read_reply(std::string_view text, Commas commas = Commas::group);

}  // namespace pleiad::eval
