#pragma once

#include <cstddef>
#include <vector>

#include "eval/graders/reading.h"

namespace pleiad::eval {

/// A number in English words, "two hundred and forty-seven", in the tokens from `first` on.
struct WordedNumber {
  std::size_t first = 0;
  std::size_t n_tokens = 0;
  double value = 0;
};

/// The numbers in words of a reply, below a million, in order.
std::vector<WordedNumber> worded_numbers(const std::vector<Token>& tokens);

}  // namespace pleiad::eval
