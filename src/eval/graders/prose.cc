#include "eval/graders/prose.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

constexpr std::size_t kCommonWindow = 100;
constexpr std::size_t kDistinctWindow = 200;
constexpr double kLeastCommon = 0.2;
constexpr double kMostStray = 0.15;
constexpr double kLeastDistinct = 0.3;

const std::set<std::string>& common_words() {
  static const std::set<std::string> words = [] {
    const std::vector<std::string> list = words_in(
        "the of and to a in is it you that he was for on are with as i his they be at one have "
        "this from or had by but not what all were we when your can said there an each which she "
        "do how their if will up other about out many then them these so some her would like him "
        "into has more no way could my than been its who now did down only after most where very "
        "our because while still through between until before any such over during also just "
        "under again against off both us too me had must may might does every even here always");
    return std::set<std::string>(list.begin(), list.end());
  }();
  return words;
}

/// What cannot stand right behind "the", "a" and "an".
const std::set<std::string>& strays() {
  static const std::set<std::string> words = [] {
    const std::vector<std::string> list = words_in(
        "the of and to a in is it that he was for on are with as his they be at have this from or "
        "had by but what were we when your can there an which she do how their if would them "
        "these her into has could my than been its who did where our because while through until "
        "you i him so");
    return std::set<std::string>(list.begin(), list.end());
  }();
  return words;
}

bool has_letter(const std::string& word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c < '0' || c > '9'; });
}

}  // namespace

Prose measure_prose(std::string_view text) {
  std::vector<std::string> words = words_in(text);
  std::erase_if(words, [](const std::string& word) { return !has_letter(word); });
  Prose prose;
  prose.n_words = words.size();
  // Half a window at a time; the last one ends with the text.
  const auto lowest = [&](std::size_t window, auto&& share) {
    const std::size_t size = std::min(window, words.size());
    double least = 1;
    for (std::size_t begin = 0; size > 0;) {
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(begin);
      least = std::min(least, share(first, first + static_cast<std::ptrdiff_t>(size)) /
                                  static_cast<double>(size));
      if (begin + size == words.size()) break;
      begin = std::min(begin + window / 2, words.size() - size);
    }
    return least;
  };
  prose.common_words = lowest(kCommonWindow, [](auto begin, auto end) {
    return static_cast<double>(std::count_if(
        begin, end, [](const std::string& word) { return common_words().contains(word); }));
  });
  prose.distinct_words = lowest(kDistinctWindow, [](auto begin, auto end) {
    return static_cast<double>(std::set<std::string>(begin, end).size());
  });
  double n_articles = 0;
  double n_stray = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "the" && words[i] != "a" && words[i] != "an") continue;
    ++n_articles;
    n_stray += strays().contains(words[i + 1]) ? 1 : 0;
  }
  if (n_articles > 0) prose.stray_articles = n_stray / n_articles;
  return prose;
}

std::string Prose::wrong() const {
  if (common_words < kLeastCommon) {
    return fmt::format("no English prose: {:.0f} of a hundred words are common ones",
                       100 * common_words);
  }
  if (stray_articles > kMostStray) {
    return fmt::format(
        "words without order: {:.0f} % of the articles stand before none that "
        "could follow",
        100 * stray_articles);
  }
  if (distinct_words < kLeastDistinct) {
    return fmt::format("only {:.0f} % different words", 100 * distinct_words);
  }
  return "";
}

}  // namespace pleiad::eval
