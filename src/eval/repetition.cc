#include "eval/repetition.h"

#include <algorithm>
#include <set>
#include <vector>

#include "eval/reply_text.h"

namespace pleiad::eval {
namespace {

constexpr std::size_t kLongestPeriod = 60;
constexpr std::size_t kRounds = 4;
constexpr std::size_t kShortestLoop = 12;
constexpr std::size_t kGram = 4;

double distinct_share(const std::vector<std::string>& words) {
  if (words.size() < kGram) return 1;
  std::set<std::string> grams;
  const std::size_t n = words.size() - kGram + 1;
  for (std::size_t i = 0; i < n; ++i) {
    std::string gram;
    for (std::size_t k = 0; k < kGram; ++k) gram += words[i + k] + ' ';
    grams.insert(std::move(gram));
  }
  return static_cast<double>(grams.size()) / static_cast<double>(n);
}

}  // namespace

Repetition measure_repetition(std::string_view text) {
  const std::vector<std::string> words = words_in(text);
  Repetition result;
  result.n_words = words.size();
  result.distinct_fourgrams = distinct_share(words);
  for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
    std::size_t same = 0;  // words in a row that stood there a period ago
    for (std::size_t i = period; i < words.size(); ++i) {
      same = words[i] == words[i - period] ? same + 1 : 0;
      const std::size_t length = same + period;
      const bool is_loop = same >= (kRounds - 1) * period && length >= kShortestLoop;
      if (!is_loop || length <= result.longest_loop) continue;
      result.longest_loop = length;
      result.loop.clear();
      for (std::size_t k = i + 1 - period; k <= i; ++k) {
        result.loop += (result.loop.empty() ? "" : " ") + words[k];
      }
    }
  }
  return result;
}

}  // namespace pleiad::eval
