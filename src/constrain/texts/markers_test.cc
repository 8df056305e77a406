#include "constrain/texts/markers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "constrain/texts/dfa_test_data.h"

namespace pleiad::constrain {
namespace {

/// Where a word ends for the first time; npos where it never does.
std::size_t first_end(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? at : at + word.size();
}

TEST(Markers, AreTheFirstOnesOverAllShortTexts) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts.back().size() < 7; ++i) {
    for (const char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  }
  std::mt19937 random(3);
  int n_taken = 0;
  for (int round = 0; round < 40; ++round) {
    const auto word = [&] { return texts[1 + random() % 39]; };
    const std::vector<std::string> words = {word(), word()};
    std::vector<std::string> excluded;
    if (round % 2 == 0) excluded.push_back(word());
    const Markers markers(words, excluded);
    const Dfa without = markers.text_without();
    const Dfa up_to[] = {markers.text_up_to(0), markers.text_up_to(1)};
    for (const std::string& text : texts) {
      const std::size_t first = std::min(first_end(text, words[0]), first_end(text, words[1]));
      const std::size_t bad = excluded.empty() ? std::string::npos : first_end(text, excluded[0]);
      const bool is_free = first == std::string::npos && bad == std::string::npos;
      EXPECT_EQ(accepts(without, text), is_free) << words[0] << " " << words[1] << " " << text;
      for (int i = 0; i < 2; ++i) {
        const bool expected = bad == std::string::npos && first == text.size() &&
                              first_end(text, words[i]) == text.size();
        n_taken += expected;
        EXPECT_EQ(accepts(up_to[i], text), expected)
            << words[0] << " " << words[1] << " " << i << " " << text;
      }
    }
  }
  EXPECT_GT(n_taken, 100);
}

TEST(Markers, TextIsWholeCharacters) {
  const Markers markers({"\xC3\xA9"}, {});
  const Dfa without = markers.text_without();
  EXPECT_TRUE(accepts(without, "a\xC3\xA8\xF0\x9F\x98\x80\n\x01"));
  EXPECT_FALSE(accepts(without, "a\xC3\xA9"));
  EXPECT_FALSE(accepts(without, "a\xC3"));
  EXPECT_FALSE(accepts(without, "\xFF"));
  EXPECT_TRUE(accepts(markers.text_up_to(0), "\xC3\xA8\xC3\xA9"));
  EXPECT_TRUE(accepts(Markers({}, {}).text_without(), "anything"));
}

}  // namespace
}  // namespace pleiad::constrain
