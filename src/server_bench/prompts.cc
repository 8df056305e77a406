#include "server_bench/prompts.h"

#include <algorithm>
#include <numeric>
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

using CountPrompt = std::function<std::optional<std::int64_t>(const std::string&)>;

Calibration calibrate_by(const std::string& tail, const CountPrompt& count) {
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
    found.exact = true;
    return found;
  }
  for (std::size_t at = 0, nth = 2; at < all.size(); at += kGroup, ++nth) {
    const auto group = all.subspan(at, std::min(kGroup, all.size() - at));
    if (all_are_tokens(group, nth))
      found.words.insert(found.words.end(), group.begin(), group.end());
  }
  found.exact = true;
  if (found.words.size() >= kEnough) return found;
  const std::vector<std::string> letters = alphabet();
  const std::vector<std::string_view> small(letters.begin(), letters.begin() + 26);
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (all_are_tokens(std::span(small).subspan(i, 1), 0)) found.words.emplace_back(small[i]);
  }
  // Where not even these are tokens, lengths will differ, and that is told.
  if (found.words.empty()) {
    found.words.assign(small.begin(), small.end());
    found.exact = false;
  }
  return found;
}

/// The greatest number that divides whatever the count grows by: 1 for tokens, since among words,
/// letters, digits and signs one is a token, or an odd number of them.
std::int64_t step_of(const std::string& tail, const CountPrompt& count) {
  const std::string first = calibration_letter(0);
  const std::int64_t least = count(first + tail).value_or(0);
  std::int64_t step = 0;
  for (const std::string_view more :
       {" air", " arm art", "7", "77", "!", " 7 a", "?!", "\n7", " b"}) {
    const auto n = count(first + std::string(more) + tail);
    if (n) step = std::gcd(step, *n - least);
  }
  return std::max<std::int64_t>(1, step);
}

}  // namespace

std::string recount_prompt(const std::string& text, std::size_t nth) {
  return calibration_letter(nth) + "\n" + text + "\n" + calibration_letter(nth);
}

Calibration calibrate(const std::string& tail,
                      const std::function<std::optional<std::int64_t>(const std::string&)>& count) {
  Calibration found = calibrate_by(tail, count);
  if (!found.counted || found.exact) return found;
  const std::int64_t step = step_of(tail, count);
  if (step <= 1) return found;
  found = calibrate_by(tail, [&](const std::string& prompt) -> std::optional<std::int64_t> {
    const auto n = count(prompt);
    if (!n) return std::nullopt;
    return *n / step;
  });
  found.step = step;
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
