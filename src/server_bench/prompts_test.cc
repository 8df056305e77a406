#include "server_bench/prompts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "server_bench/words.h"

namespace pleiad::server_bench {
namespace {

constexpr std::int64_t kTemplate = 10;

/// Tokens of a made-up vocabulary: a word is one, but those that `costs` knows.
std::int64_t n_tokens(const std::string& prompt, const std::set<std::string>& of_two = {}) {
  std::istringstream text(prompt);
  std::int64_t n = kTemplate;
  for (std::string word; text >> word;) n += of_two.contains(word) ? 2 : 1;
  return n;
}

Calibration calibrated(const std::set<std::string>& of_two = {}, const std::string& tail = "",
                       int* n_asked = nullptr) {
  return calibrate(tail, [&](const std::string& prompt) {
    if (n_asked) ++*n_asked;
    return std::optional<std::int64_t>(n_tokens(prompt, of_two));
  });
}

TEST(Words, AreDifferentFromEachOther) {
  const auto all = words();
  EXPECT_EQ(std::set<std::string_view>(all.begin(), all.end()).size(), all.size());
  EXPECT_GE(all.size(), 100U);
}

TEST(Calibrate, NeedsTwoQuestionsWhereEveryWordIsAToken) {
  int n_asked = 0;
  const Calibration found = calibrated({}, "", &n_asked);
  EXPECT_EQ(n_asked, 2);
  EXPECT_EQ(found.overhead, kTemplate);
  EXPECT_EQ(found.words.size(), words().size());
}

TEST(Calibrate, SortsOutWordsOfSeveralTokens) {
  const Calibration found = calibrated({"air", "stone"});
  EXPECT_EQ(std::count(found.words.begin(), found.words.end(), "air"), 0);
  EXPECT_EQ(std::count(found.words.begin(), found.words.end(), "stone"), 0);
  EXPECT_GT(found.words.size(), 100U);
}

TEST(Calibrate, TakesSmallLettersWhereWordsAreNoTokens) {
  std::set<std::string> all;
  for (const std::string_view word : words()) all.emplace(word);
  all.insert("b");
  all.insert("x");
  const Calibration found = calibrated(all);
  EXPECT_EQ(found.words.size(), 24U);
  EXPECT_EQ(std::count(found.words.begin(), found.words.end(), "x"), 0);
  PromptMaker prompts(found, 1);
  EXPECT_EQ(n_tokens(prompts.next(26), all), 26);
}

TEST(Calibrate, SaysWhereTheServerDoesNotCount) {
  const Calibration found = calibrate("", [](const std::string&) { return std::nullopt; });
  EXPECT_FALSE(found.counted);
  EXPECT_FALSE(found.words.empty());
}

TEST(PromptMaker, MakesPromptsOfTheLengthThatIsAskedForWithTheTail) {
  const std::string tail = "\nTell a story of these words.";
  PromptMaker prompts(calibrated({"air"}, tail), 7);
  for (const int length : {26, 104, 17}) {
    const std::string prompt = prompts.next(length);
    EXPECT_EQ(n_tokens(prompt, {"air"}), length);
    EXPECT_TRUE(prompt.ends_with(tail));
  }
  EXPECT_EQ(n_tokens(prompts.next(3)), kTemplate + 6 + 1);  // shorter than possible: one word
}

TEST(PromptMaker, BeginsEachWithALetterOfItsOwnAndThenWithAPair) {
  PromptMaker prompts(calibrated(), 7);
  std::set<std::string> firsts, pairs;
  for (int i = 0; i < 52; ++i) firsts.insert(prompts.next(20).substr(0, 1));
  EXPECT_EQ(firsts.size(), 52U);
  for (int i = 0; i < 52 * 51; ++i) pairs.insert(prompts.next(20).substr(0, 3));
  EXPECT_EQ(pairs.size(), 52U * 51);
}

TEST(PromptMaker, RepeatsItselfForEqualSeedsOnly) {
  PromptMaker one(calibrated(), 7), same(calibrated(), 7), other(calibrated(), 8);
  const std::string prompt = one.next(104);
  EXPECT_EQ(same.next(104), prompt);
  EXPECT_NE(other.next(104), prompt);
}

}  // namespace
}  // namespace pleiad::server_bench
