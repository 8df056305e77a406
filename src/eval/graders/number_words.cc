#include "eval/graders/number_words.h"

#include <algorithm>
#include <string_view>

namespace pleiad::eval {
namespace {

constexpr std::string_view kSmall[] = {"zero",    "one",     "two",       "three",    "four",
                                       "five",    "six",     "seven",     "eight",    "nine",
                                       "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                       "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::string_view kTens[] = {"twenty", "thirty",  "forty",  "fifty",
                                      "sixty",  "seventy", "eighty", "ninety"};

/// The word's place in a list, or -1.
template <std::size_t n>
int place(const std::string_view (&words)[n], const Token& token) {
  if (token.kind != Token::Kind::word) return -1;
  const auto* found = std::find(std::begin(words), std::end(words), token.text);
  return found == std::end(words) ? -1 : static_cast<int>(found - std::begin(words));
}

/// Reads one number from `at` on.
class WordReader {
 public:
  WordReader(const std::vector<Token>& tokens, std::size_t at) : tokens_(tokens), at_(at) {}

  WordedNumber read() {
    const std::size_t first = at_;
    double value = below_thousand();
    if (at_ == first) return {};
    if (is(0, "thousand")) {
      ++at_;
      value *= 1000;
      const std::size_t end = at_;
      if (sign(',')) ++at_;
      value += rest(end);
    }
    return {first, at_ - first, value};
  }

 private:
  bool is(std::size_t ahead, std::string_view word) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is_word(word);
  }
  bool sign(char c) const { return at_ < tokens_.size() && tokens_[at_].is_sign(c); }
  int at_place(bool tens) const {
    if (at_ >= tokens_.size()) return -1;
    return tens ? place(kTens, tokens_[at_]) : place(kSmall, tokens_[at_]);
  }

  double below_hundred() {
    const int ten = at_place(true);
    if (ten < 0) {
      const int small = at_place(false);
      if (small < 0) return 0;
      ++at_;
      return small;
    }
    ++at_;
    const double tens = 10 * (ten + 2);
    const std::size_t end = at_;
    if (sign('-')) ++at_;
    const int unit = at_place(false);
    if (unit < 1 || unit > 9) {
      at_ = end;
      return tens;
    }
    ++at_;
    return tens + unit;
  }

  double below_thousand() {
    double value = below_hundred();
    if (value >= 1 && value <= 9 && is(0, "hundred")) {
      ++at_;
      value *= 100;
      value += rest(at_, false);
    }
    return value;
  }

  /// What follows a hundred or a thousand, "and" or not; back to `end` where nothing does.
  double rest(std::size_t end, bool hundreds = true) {
    if (is(0, "and")) ++at_;
    const std::size_t start = at_;
    const double value = hundreds ? below_thousand() : below_hundred();
    if (at_ == start) at_ = end;
    return value;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_;
};

}  // namespace

std::vector<WordedNumber> worded_numbers(const std::vector<Token>& tokens) {
  std::vector<WordedNumber> numbers;
  for (std::size_t at = 0; at < tokens.size();) {
    const WordedNumber number = WordReader(tokens, at).read();
    if (number.n_tokens == 0) {
      ++at;
    } else {
      numbers.push_back(number);
      at += number.n_tokens;
    }
  }
  return numbers;
}

}  // namespace pleiad::eval
