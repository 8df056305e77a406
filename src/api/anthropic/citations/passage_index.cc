#include "api/anthropic/citations/passage_index.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace pleiad::api::anthropic {
namespace {

constexpr std::size_t kMostPlaces = 64;  // of a seed that are looked at

/// Letters of ASCII in lower case.
char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// FNV-1a of the tokens in lower case.
class SeedHash {
 public:
  void add(std::string_view word) {
    for (const char c : word) mix(static_cast<unsigned char>(folded(c)));
    mix(0);
  }
  std::uint64_t value() const { return value_; }

 private:
  void mix(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001B3; }
  std::uint64_t value_ = 0xCBF29CE484222325;
};

bool is_same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return folded(x) == folded(y); });
}

}  // namespace

PassageIndex::PassageIndex(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (std::size_t text = 0; text < texts_.size(); ++text) {
    CHECK(texts_[text].size() <= std::numeric_limits<std::uint32_t>::max(), "{} bytes",
          texts_[text].size());
    const std::vector<PassageToken> tokens = tokens_of(texts_[text]);
    const auto first = static_cast<std::uint32_t>(tokens_.size());
    for (const PassageToken& token : tokens) {
      tokens_.push_back({static_cast<std::uint32_t>(text), static_cast<std::uint32_t>(token.begin),
                         static_cast<std::uint32_t>(token.end)});
    }
    for (std::size_t i = 0; i + kSeed <= tokens.size(); ++i) {
      if (!tokens[i].is_word) continue;
      SeedHash hash;
      for (std::size_t k = 0; k < kSeed; ++k) hash.add(word(tokens_[first + i + k]));
      seeds_.emplace_back(hash.value(), first + static_cast<std::uint32_t>(i));
    }
  }
  std::ranges::sort(seeds_);
}

std::string_view PassageIndex::word(const Token& token) const {
  return std::string_view(texts_[token.text]).substr(token.begin, token.end - token.begin);
}

std::vector<std::uint32_t> PassageIndex::find(std::string_view said,
                                              const PassageToken* tokens) const {
  const auto word_of = [&](std::size_t k) {
    return said.substr(tokens[k].begin, tokens[k].end - tokens[k].begin);
  };
  SeedHash hash;
  for (std::size_t k = 0; k < kSeed; ++k) hash.add(word_of(k));
  std::vector<std::uint32_t> places;
  auto seed = std::ranges::lower_bound(seeds_, std::pair(hash.value(), std::uint32_t{0}));
  for (; seed != seeds_.end() && seed->first == hash.value() && places.size() < kMostPlaces;
       ++seed) {
    bool is_there =
        is_same_word(word(tokens_[seed->second]), word_of(0));  // hashes may agree by chance
    for (std::uint32_t k = 1; is_there && k < kSeed; ++k) {
      is_there = continues(seed->second + k, word_of(k));
    }
    if (is_there) places.push_back(seed->second);
  }
  return places;
}

bool PassageIndex::continues(std::uint32_t number, std::string_view said) const {
  return number < tokens_.size() && tokens_[number].text == tokens_[number - 1].text &&
         is_same_word(word(tokens_[number]), said);
}

Passage PassageIndex::passage(std::uint32_t first, std::uint32_t last) const {
  CHECK(last < tokens_.size() && tokens_[first].text == tokens_[last].text, "{} {}", first, last);
  return {tokens_[first].text, tokens_[first].begin, tokens_[last].end};
}

}  // namespace pleiad::api::anthropic
