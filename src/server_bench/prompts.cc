#include "server_bench/prompts.h"

#include <algorithm>
#include <span>

#include "server_bench/words.h"

namespace pleiad::server_bench {
namespace {

constexpr std::size_t kGroup = 16;
constexpr std::size_t kEnough = 48;  // words; fewer would repeat themselves in a prompt

std::vector<std::string> alphabet() {
  std::vector<std::string> letters;
  for (char c = 'a'; c <= 'z'; ++c) letters.emplace_back(1, c);
  for (char c = 'A'; c <= 'Z'; ++c) letters.emplace_back(1, c);
  return letters;
}

/// Of the alphabet, to each its own; the last four are for calibration.
std::vector<std::string> letters_of(Beginnings beginnings) {
  const std::vector<std::string> all = alphabet();
  const auto begin = all.begin();
  if (beginnings == Beginnings::runs) return {begin, begin + 36};
  return {begin + 36, begin + 48};
}

/// What the prompts of a calibration begin with.
std::string calibration_letter(std::size_t nth) { return alphabet()[48 + nth % 4]; }

std::string joined(const std::string& first, std::span<const std::string_view> rest) {
  std::string text = first;
  for (const std::string_view word : rest) text.append(" ").append(word);
  return text;
}

/// A number below n, equal on every machine for equal seeds.
std::size_t below(std::mt19937_64& random, std::size_t n) { return random() % n; }

}  // namespace

Calibration calibrate(const std::string& tail,
                      const std::function<std::optional<std::int64_t>(const std::string&)>& count) {
  Calibration found;
  found.tail = tail;
  const std::span<const std::string_view> all = words();
  const auto of_one = count(calibration_letter(0) + tail);
  if (!of_one) {
    found.words.assign(all.begin(), all.end());
    return found;
  }
  found.counted = true;
  found.overhead = std::max<std::int64_t>(0, *of_one - 1);
  // Behind a letter, so that every word has a blank before it.
  const auto all_are_tokens = [&](std::span<const std::string_view> group, std::size_t nth) {
    const auto n = count(joined(calibration_letter(nth), group) + tail);
    return n && *n == found.overhead + 1 + static_cast<std::int64_t>(group.size());
  };
  if (all_are_tokens(all, 1)) {
    found.words.assign(all.begin(), all.end());
    return found;
  }
  for (std::size_t at = 0, nth = 2; at < all.size(); at += kGroup, ++nth) {
    const auto group = all.subspan(at, std::min(kGroup, all.size() - at));
    if (all_are_tokens(group, nth))
      found.words.insert(found.words.end(), group.begin(), group.end());
  }
  if (found.words.size() >= kEnough) return found;
  const std::vector<std::string> letters = alphabet();
  const std::vector<std::string_view> small(letters.begin(), letters.begin() + 26);
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (all_are_tokens(std::span(small).subspan(i, 1), 0)) found.words.emplace_back(small[i]);
  }
  // Where not even these are tokens, lengths will differ, and that is told.
  if (found.words.empty()) found.words.assign(small.begin(), small.end());
  return found;
}

PromptMaker::PromptMaker(Calibration calibration, Beginnings beginnings, std::uint64_t seed)
    : calibration_(std::move(calibration)), random_(seed), letters_(letters_of(beginnings)) {
  for (std::size_t left = letters_.size(); left > 1; --left) {
    std::swap(letters_[left - 1], letters_[below(random_, left)]);
  }
}

std::string PromptMaker::next(std::int64_t n_tokens) {
  const std::size_t n_letters = letters_.size();
  std::int64_t left = std::max<std::int64_t>(1, n_tokens - calibration_.overhead);
  std::string prompt = letters_[n_made_ % n_letters];
  --left;
  for (std::size_t rest = n_made_ / n_letters; rest > 0 && left > 0; rest /= n_letters, --left) {
    prompt += " " + letters_[rest % n_letters];
  }
  ++n_made_;
  for (; left > 0; --left) {
    prompt += " " + calibration_.words[below(random_, calibration_.words.size())];
  }
  return prompt + calibration_.tail;
}

}  // namespace pleiad::server_bench
