#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pleiad::eval {

/// How much a text is English prose, and not words in a row. Words have letters in them.
struct Prose {
  std::size_t n_words = 0;
  /// Of a hundred words in a row, the lowest share of the commonest ("the", "of", "was"): 0.35 to
  /// 0.55 in prose, near 0 in lists of nouns and in other languages.
  double common_words = 1;
  /// Of the articles, the share before a word that cannot follow one ("the of", "a is"): near 0 in
  /// prose, about as high as the share of common words where the order of words is random.
  double stray_articles = 0;
  /// Of 200 words in a row, the lowest share of different ones: above 0.5 in prose.
  double distinct_words = 1;

  /// What is wrong with it as prose; empty where nothing is.
  std::string wrong() const;
};

Prose measure_prose(std::string_view text);

}  // namespace pleiad::eval
