#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pleiad::eval {

/// How much a text repeats itself.
struct Repetition {
  std::size_t n_words = 0;
  /// Different runs of four words, of all such runs; about 0.95 in prose, 1 where there are none.
  double distinct_fourgrams = 1;
  /// Words of the longest stretch that says the same again and again: at least four times
  /// in a row, with a period of at most 60 words, over at least 12 words.
  std::size_t longest_loop = 0;
  /// Bytes of the longest stretch of the same bytes again and again, whatever they are: at least
  /// four times in a row, with a period of at most 60, over at least 200.
  std::size_t longest_byte_loop = 0;
  std::string loop;  // one round, of words where there is such a loop

  bool is_degenerate() const {
    return longest_loop > 0 || longest_byte_loop > 0 || distinct_fourgrams < 0.6;
  }
};

Repetition measure_repetition(std::string_view text);

}  // namespace pleiad::eval
