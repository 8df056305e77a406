#include "sampling/stop_matcher.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.h"
#include "sampling/random.h"

namespace pleiad::sampling {
namespace {

StopMatcher matcher_of(std::vector<std::string> stops) {
  return StopMatcher::create(std::move(stops)).value();
}

struct Outcome {
  std::string text;
  std::string stop;  // empty: none found

  bool operator==(const Outcome&) const = default;
};

Outcome run(const std::vector<std::string>& stops, const std::vector<std::string>& pieces) {
  StopMatcher matcher = matcher_of(stops);
  Outcome outcome;
  for (const std::string& piece : pieces) outcome.text += matcher.push(piece);
  outcome.text += matcher.flush();
  if (matcher.found() != nullptr) outcome.stop = *matcher.found();
  return outcome;
}

/// The definition: the first end, then the longest.
Outcome search_whole(const std::vector<std::string>& stops, std::string_view text) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::string_view longest;
    for (const std::string& stop : stops) {
      if (text.substr(0, end).ends_with(stop) && stop.size() > longest.size()) longest = stop;
    }
    if (longest.empty()) continue;
    return {std::string(text.substr(0, end - longest.size())), std::string(longest)};
  }
  return {std::string(text), ""};
}

TEST(StopMatcher, WithoutStopStringsEverythingPassesAtOnce) {
  StopMatcher matcher;
  EXPECT_EQ(matcher.push("hello"), "hello");
  EXPECT_EQ(matcher.flush(), "");
  EXPECT_FALSE(matcher.stopped());
}

TEST(StopMatcher, FindsAStopAcrossPieces) {
  StopMatcher matcher = matcher_of({"\nUser:"});
  EXPECT_EQ(matcher.push("Hi!\nUs"), "Hi!");
  EXPECT_EQ(matcher.push("e"), "");
  EXPECT_FALSE(matcher.stopped());
  EXPECT_EQ(matcher.push("r: more"), "");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(*matcher.found(), "\nUser:");
  EXPECT_EQ(matcher.push("ignored"), "");
  EXPECT_EQ(matcher.flush(), "");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, GivesBackWhatTurnsOutNotToBeAStop) {
  StopMatcher matcher = matcher_of({"###", "#a"});
  EXPECT_EQ(matcher.push("x##"), "x");
  EXPECT_EQ(matcher.push("b"), "##b");
  EXPECT_EQ(matcher.push("##"), "");
  EXPECT_EQ(matcher.flush(), "##");
  EXPECT_FALSE(matcher.stopped());
}

TEST(StopMatcher, KeepsBackNoMoreThanItMust) {
  StopMatcher matcher = matcher_of({"abac"});
  EXPECT_EQ(matcher.push("aba"), "");
  EXPECT_EQ(matcher.push("b"), "ab");  // "ab" may still begin a stop
  EXPECT_EQ(matcher.push("ac!"), "");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, TheFirstCompleteStopWinsThenTheLongest) {
  EXPECT_EQ(run({"ab", "abc"}, {"xabc"}), (Outcome{"x", "ab"}));
  EXPECT_EQ(run({"bc", "xabc"}, {"yxabc"}), (Outcome{"y", "xabc"}));
  EXPECT_EQ(run({"abcd", "bc"}, {"abcd"}), (Outcome{"a", "bc"}));
  EXPECT_EQ(run({"b", "a"}, {"ab"}), (Outcome{"", "a"}));
}

TEST(StopMatcher, RefusesEmptyStringsAndBrokenUtf8) {
  EXPECT_EQ(StopMatcher::create({"a", ""}).message(), "stop: expected text, found an empty string");
  EXPECT_EQ(StopMatcher::create({"\xC3"}).message(), "stop: expected UTF-8, found \"\\xc3\"");
}

TEST(StopMatcher, WholeCharactersComeOutWhole) {
  StopMatcher matcher = matcher_of({"é!", "日本語"});
  for (const std::string piece :
       {"è", "é", "é", "日", "本", "本", "日本", "x", "é", "日", "本語"}) {
    std::string_view safe;
    const std::string out = matcher.push(piece);
    for (safe = out; !safe.empty(); safe.remove_prefix(utf8_length(safe))) {
      ASSERT_NE(utf8_length(safe), 0U) << out;
    }
  }
  EXPECT_EQ(*matcher.found(), "日本語");
}

TEST(StopMatcher, AnyCutIntoPiecesGivesWhatASearchOfTheWholeGives) {
  Random random(5);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(static_cast<double>(n) * random.uniform());
  };
  const auto letters = [&](std::size_t n) {
    std::string text;
    while (text.size() < n) text += static_cast<char>('a' + below(2));
    return text;
  };
  int n_found = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> stops;
    for (std::size_t n = 1 + below(4); n > 0; --n) stops.push_back(letters(1 + below(9)));
    const std::string text = letters(below(40));
    std::vector<std::string> pieces;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t size = below(6);
      pieces.push_back(text.substr(begin, size));
      begin += size;
    }
    const Outcome expected = search_whole(stops, text);
    ASSERT_EQ(run(stops, pieces), expected) << text;
    n_found += expected.stop.empty() ? 0 : 1;
  }
  EXPECT_GT(n_found, 5000);
  EXPECT_LT(n_found, 19000);
}

TEST(StopMatcher, EverythingThatCannotBeginAStopIsOutAtOnce) {
  Random random(6);
  const std::vector<std::string> stops{"aab", "abba", "bbbbb"};
  for (int round = 0; round < 200; ++round) {
    StopMatcher matcher = matcher_of(stops);
    std::string in;
    std::string out;
    while (in.size() < 50 && !matcher.stopped()) {
      const std::string piece(1, random.uniform() < 0.5 ? 'a' : 'b');
      in += piece;
      out += matcher.push(piece);
      if (matcher.stopped()) break;
      std::size_t open = 0;
      for (const std::string& stop : stops) {
        for (std::size_t n = 1; n < stop.size(); ++n) {
          if (in.ends_with(stop.substr(0, n))) open = std::max(open, n);
        }
      }
      ASSERT_EQ(out, in.substr(0, in.size() - open));
    }
  }
}

}  // namespace
}  // namespace pleiad::sampling
