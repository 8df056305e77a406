#include "apps/usage/suggestion.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace pleiad::apps {

namespace {

constexpr std::size_t kMostSuggestions = 3;
constexpr std::size_t kLongestWord = 64;  // bytes; nobody mistypes a longer one
constexpr std::size_t kLeastPrefix = 3;   // letters that say something

std::string_view without_dashes(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name;
}

}  // namespace

std::size_t typing_distance(std::string_view typed, std::string_view meant) {
  const std::size_t columns = meant.size() + 1;
  std::vector<std::size_t> before_last(columns), last(columns), row(columns);
  for (std::size_t j = 0; j < columns; ++j) last[j] = j;
  for (std::size_t i = 1; i <= typed.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < columns; ++j) {
      const bool same = typed[i - 1] == meant[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool exchanged =
          i > 1 && j > 1 && typed[i - 1] == meant[j - 2] && typed[i - 2] == meant[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[meant.size()];
}

std::vector<std::string> suggestions(std::string_view typed,
                                     const std::vector<std::string>& candidates) {
  const std::string word = ascii_lower(without_dashes(typed));
  if (word.empty() || word.size() > kLongestWord) return {};
  const std::size_t most = word.size() <= 2 ? 1 : word.size() / 3 + (word.size() < 6 ? 1 : 0);
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& candidate : candidates) {
    const std::string meant(without_dashes(candidate));
    // Of one letter another one is no mistyping.
    if (meant.size() < 2) continue;
    std::size_t distance = typing_distance(word, meant);
    if (word.size() >= kLeastPrefix && meant.starts_with(word)) {
      distance = 0;
    } else if (distance > most || distance >= std::max(word.size(), meant.size())) {
      continue;
    }
    close.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(close, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::string> best;
  for (const auto& [distance, candidate] : close) {
    if (distance > close.front().first || best.size() == kMostSuggestions) break;
    best.push_back(candidate);
  }
  return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string text;
  for (const std::string& candidate : suggestions(typed, candidates)) {
    text += (text.empty() ? "; did you mean '" : " or '") + candidate + "'";
  }
  return text.empty() ? text : text + "?";
}

}  // namespace pleiad::apps
