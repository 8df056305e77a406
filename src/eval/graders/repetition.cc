#include "eval/graders/repetition.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

constexpr std::size_t kLongestPeriod = 60;
constexpr std::size_t kRounds = 4;
constexpr std::size_t kShortestLoop = 12;
// A ruled line of a table is shorter.
constexpr std::size_t kLongestBytePeriod = 60;
constexpr std::size_t kShortestByteLoop = 200;
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

/// The longest stretch that goes round at least four times and is `shortest` long; as its
/// length and the beginning of its last round.
template <typename Sequence>
std::pair<std::size_t, std::span<const typename Sequence::value_type>> longest_loop(
    const Sequence& items, std::size_t longest_period, std::size_t shortest) {
  std::pair<std::size_t, std::span<const typename Sequence::value_type>> found;
  for (std::size_t period = 1; period <= longest_period; ++period) {
    std::size_t same = 0;  // items in a row that stood there a period ago
    for (std::size_t i = period; i < items.size(); ++i) {
      same = items[i] == items[i - period] ? same + 1 : 0;
      const std::size_t length = same + period;
      if (same < (kRounds - 1) * period || length < shortest || length <= found.first) continue;
      found = {length, std::span(items).subspan(i + 1 - period, period)};
    }
  }
  return found;
}

}  // namespace

Repetition measure_repetition(std::string_view text) {
  const std::vector<std::string> words = words_in(text);
  Repetition result;
  result.n_words = words.size();
  result.distinct_fourgrams = distinct_share(words);
  const auto of_words = longest_loop(words, kLongestPeriod, kShortestLoop);
  result.longest_loop = of_words.first;
  for (const std::string& word : of_words.second) {
    result.loop += (result.loop.empty() ? "" : " ") + word;
  }
  const auto of_bytes = longest_loop(text, kLongestBytePeriod, kShortestByteLoop);
  result.longest_byte_loop = of_bytes.first;
  if (result.loop.empty()) result.loop.assign(of_bytes.second.begin(), of_bytes.second.end());
  return result;
}

}  // namespace pleiad::eval
