#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/graders/reply_text.h"

// The answer that a text commits itself to, wherever it stands in it.
namespace pleiad::eval {

struct Answer {
  enum class Kind { right, other, nothing };
  Kind kind = Kind::nothing;
  std::string other = {};  // what it says instead, or as well
};

/// Reads an answer; a value within JSON is read so too.
using AnswerReader = std::function<Answer(std::string_view text)>;

/// The last number that is no operand ("12 + 35") and none of `given`, those of the question; in
/// words where there is none in digits.
AnswerReader reads_number(double value, std::vector<double> given = {});

/// The word, and none of `others` but `asked`, those of the question.
AnswerReader reads_name(std::string_view word, std::vector<std::string> others,
                        std::vector<std::string> asked = {});

/// The word written backwards, spelled or not, and nothing else that looks like an attempt: the
/// same letters in another order, or one letter off.
AnswerReader reads_reversed(std::string_view word);

/// The letters of the word one by one, and no other spelling.
AnswerReader reads_spelling(std::string_view word);

}  // namespace pleiad::eval
