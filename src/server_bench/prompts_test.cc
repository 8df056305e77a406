#include "server_bench/prompts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "server_bench/words.h"

namespace pleiad::server_bench {
namespace {

constexpr std::int64_t kTemplateTokens = 10;

/// Tokens of a made-up vocabulary: a word is one, but those that `costs` knows.
std::int64_t n_tokens(const std::string& prompt, const std::set<std::string>& of_two = {}) {
  std::istringstream text(prompt);
  std::int64_t n = kTemplateTokens;
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
  EXPECT_EQ(found.overhead, kTemplateTokens);
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
  PromptMaker prompts(found, Beginnings::probes, 1);
  EXPECT_EQ(n_tokens(prompts.next(26), all), 26);
}

TEST(Calibrate, SaysWhereTheServerDoesNotCount) {
  const Calibration found = calibrate("", [](const std::string&) { return std::nullopt; });
  EXPECT_FALSE(found.counted);
  EXPECT_FALSE(found.words.empty());
}

TEST(PromptMaker, MakesPromptsOfTheLengthThatIsAskedForWithTheTail) {
  const std::string tail = "\nTell a story of these words.";
  PromptMaker prompts(calibrated({"air"}, tail), Beginnings::runs, 7);
  for (const int length : {26, 104, 17}) {
    const std::string prompt = prompts.next(length);
    EXPECT_EQ(n_tokens(prompt, {"air"}), length);
    EXPECT_TRUE(prompt.ends_with(tail));
  }
  EXPECT_EQ(n_tokens(prompts.next(3)), kTemplateTokens + 6 + 1);  // shorter than possible: one word
}

/// How many different beginnings of so many bytes the next `n` prompts have.
std::size_t n_beginnings(PromptMaker& prompts, int n, std::size_t n_bytes) {
  std::set<std::string> found;
  for (int i = 0; i < n; ++i) found.insert(prompts.next(20).substr(0, n_bytes));
  return found.size();
}

TEST(PromptMaker, BeginsEachWithALetterOfItsOwnAndThenWithAPairAndThenWithThree) {
  PromptMaker prompts(calibrated(), Beginnings::runs, 7);
  EXPECT_EQ(n_beginnings(prompts, 36, 1), 36U);
  EXPECT_EQ(n_beginnings(prompts, 36 * 35, 3), 36U * 35);
  EXPECT_EQ(n_beginnings(prompts, 1000, 5), 1000U);
}

TEST(PromptMaker, BeginsWithWhatNoPromptOfAnotherPartBeginsWith) {
  std::set<char> firsts;
  const Calibration found = calibrate("", [&](const std::string& prompt) {
    firsts.insert(prompt[0]);
    return std::optional<std::int64_t>(n_tokens(prompt, {"air"}));
  });
  EXPECT_LE(firsts.size(), 4U);
  PromptMaker runs(found, Beginnings::runs, 7), probes(found, Beginnings::probes, 7);
  for (int i = 0; i < 36; ++i) firsts.insert(runs.next(20)[0]);
  for (int i = 0; i < 12; ++i) firsts.insert(probes.next(20)[0]);
  EXPECT_EQ(firsts.size(), 52U);
}

TEST(PromptMaker, RepeatsItselfForEqualSeedsOnly) {
  PromptMaker one(calibrated(), Beginnings::runs, 7), same(calibrated(), Beginnings::runs, 7),
      other(calibrated(), Beginnings::runs, 8);
  const std::string prompt = one.next(104);
  EXPECT_EQ(same.next(104), prompt);
  EXPECT_NE(other.next(104), prompt);
}

TEST(Calibration, CountsThatOnlyGrowInStepsAreNotOfTokens) {
  const auto times = [](std::int64_t factor) {
    return calibrate("", [=](const std::string& prompt) -> std::optional<std::int64_t> {
      return factor * (10 + 1 + std::count(prompt.begin(), prompt.end(), ' '));
    });
  };
  EXPECT_EQ(times(1).step, 1);
  EXPECT_TRUE(times(1).exact);
  EXPECT_EQ(times(10).step, 10);
  EXPECT_EQ(times(10).overhead, 10);
  // Words of several tokens are no reason: digits and signs are tokens of their own.
  const Calibration letters = calibrate("", [](const std::string& prompt) {
    return std::optional<std::int64_t>(static_cast<std::int64_t>(prompt.size()));
  });
  EXPECT_EQ(letters.step, 1);
  EXPECT_FALSE(letters.exact);
}

}  // namespace
}  // namespace pleiad::server_bench
