#include "sampling/repetition_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace pleiad::sampling {
namespace {

using Guard = RepetitionGuard;
using Kind = Guard::Kind;

struct Token {
  std::int32_t id = 0;
  Kind kind = Kind::word;
};
using Tokens = std::vector<Token>;

/// After how many tokens it was found; empty: it was not.
std::optional<std::size_t> found_after(Guard& guard, const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!guard.push(tokens[i].id, tokens[i].kind)) return i + 1;
  }
  return std::nullopt;
}
std::optional<std::size_t> found_after(const Tokens& tokens) {
  Guard guard;
  return found_after(guard, tokens);
}

/// The slow and obvious way: for each period, for how many tokens it has held.
class Obvious {
 public:
  bool push(Token token) {
    const std::int64_t n = std::ssize(tokens_);
    for (std::int64_t p = 1; p <= Guard::kLongestPeriod; ++p) {
      auto& length = equal_[static_cast<std::size_t>(p)];
      length = p <= n && same(tokens_[static_cast<std::size_t>(n - p)], token) ? length + 1 : 0;
    }
    tokens_.push_back(token);
    return std::ssize(tokens_) % Guard::kEvery != 0 || !repeats();
  }

 private:
  static bool same(Token a, Token b) {
    if (a.kind == Kind::blank || b.kind == Kind::blank) return a.kind == b.kind;
    return a.id == b.id;
  }
  bool repeats() const {
    bool letters = false;
    for (std::int64_t p = 1; p <= std::min(Guard::kLongestPeriod, std::ssize(tokens_)); ++p) {
      letters = letters || tokens_[tokens_.size() - static_cast<std::size_t>(p)].kind == Kind::word;
      const bool is_blank = p == 1 && tokens_.back().kind == Kind::blank;
      const std::int64_t least =
          is_blank ? Guard::kLeastBlank
                   : 4 * p + (letters || p == 1 ? Guard::kLeast : Guard::kLeastWithoutWords);
      if (equal_[static_cast<std::size_t>(p)] > 0 &&
          p + equal_[static_cast<std::size_t>(p)] >= least) {
        return true;
      }
    }
    return false;
  }

  Tokens tokens_;
  std::vector<std::int64_t> equal_ =
      std::vector<std::int64_t>(static_cast<std::size_t>(Guard::kLongestPeriod) + 1);
};

std::optional<std::size_t> obviously_after(const Tokens& tokens) {
  Obvious obvious;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!obvious.push(tokens[i])) return i + 1;
  }
  return std::nullopt;
}

class Texts {
 public:
  explicit Texts(std::uint32_t seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  Tokens any(std::int64_t n, int n_words, Kind kind = Kind::word) {
    Tokens tokens;
    for (std::int64_t i = 0; i < n; ++i) {
      tokens.push_back({static_cast<std::int32_t>(number(0, n_words - 1)), kind});
    }
    return tokens;
  }

 private:
  std::mt19937 random_;
};

void append(Tokens& text, const Tokens& more) { text.insert(text.end(), more.begin(), more.end()); }

Tokens repeated(const Tokens& period, std::int64_t n) {
  Tokens tokens;
  for (std::int64_t i = 0; i < n; ++i) {
    tokens.push_back(period[static_cast<std::size_t>(i % std::ssize(period))]);
  }
  return tokens;
}

TEST(RepetitionGuard, FindsEveryLoopInTime) {
  Texts texts(1);
  for (int i = 0; i < 300; ++i) {
    const std::int64_t period = i < 40 ? i + 1 : texts.number(1, Guard::kLongestPeriod);
    Tokens text = texts.any(texts.number(0, 3000), 5000);
    const std::size_t before = text.size();
    const Tokens loop = texts.any(period, i % 3 == 0 ? 4 : 5000);
    append(text, repeated(loop, Guard::kLeast + 4 * period + Guard::kEvery));
    const auto found = found_after(text);
    ASSERT_TRUE(found) << "period " << period << " behind " << before;
    EXPECT_GT(*found, before);
  }
}

TEST(RepetitionGuard, SaysWhatIsRepeated) {
  Texts texts(2);
  Tokens text = texts.any(500, 5000);
  append(text, repeated({{7, Kind::word}, {8, Kind::others}, {9, Kind::word}}, 1100));
  Guard guard;
  ASSERT_TRUE(found_after(guard, text));
  EXPECT_EQ(guard.found()->period, 3);
  EXPECT_GE(guard.found()->length, Guard::kLeast + 12);
  EXPECT_FALSE(guard.push(1, Kind::word)) << "it stays found";
  guard.reset();
  EXPECT_FALSE(guard.found());
  EXPECT_TRUE(guard.push(1, Kind::word));
}

TEST(RepetitionGuard, FindsNoLoopThatIsTooShort) {
  Texts texts(3);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t period = texts.number(1, Guard::kLongestPeriod);
    Tokens text = texts.any(texts.number(0, 1000), 5000);
    append(text, repeated(texts.any(period, 5000), Guard::kLeast + 4 * period - 1));
    text.push_back({6000, Kind::word});  // which ends it
    append(text, texts.any(100, 5000));
    EXPECT_FALSE(found_after(text)) << "period " << period;
  }
}

TEST(RepetitionGuard, AgreesWithTheObviousWay) {
  Texts texts(4);
  int n_found = 0;
  for (int i = 0; i < 24; ++i) {
    Tokens text;
    while (std::ssize(text) < 6000) {
      const auto kind = static_cast<Kind>(texts.number(0, 2));
      const Tokens part = texts.any(texts.number(1, i % 2 == 0 ? 20 : 700), 3, kind);
      append(text, repeated(part, texts.number(1, i % 3 == 0 ? 2500 : 900)));
    }
    const auto found = found_after(text);
    EXPECT_EQ(found, obviously_after(text)) << "text " << i;
    n_found += found ? 1 : 0;
  }
  EXPECT_GT(n_found, 4);
  EXPECT_LT(n_found, 24);
}

// Strings with as many repetitions as there can be, none of which goes on.
TEST(RepetitionGuard, FindsNothingInWordsThatAreFullOfRepetitions) {
  Tokens fibonacci = {{1, Kind::word}};
  Tokens next = {{1, Kind::word}, {2, Kind::word}};
  while (next.size() < 20'000) {
    Tokens longer = next;
    append(longer, fibonacci);
    fibonacci = std::exchange(next, std::move(longer));
  }
  EXPECT_FALSE(found_after(next));
  Tokens thue_morse;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    thue_morse.push_back({__builtin_popcount(i) & 1, Kind::word});
  }
  EXPECT_FALSE(found_after(thue_morse));
}

TEST(RepetitionGuard, IsPatientWithData) {
  const Tokens row = {{1, Kind::others}, {2, Kind::others}, {3, Kind::blank}};
  EXPECT_FALSE(found_after(repeated(row, Guard::kLeastWithoutWords)));
  EXPECT_TRUE(found_after(repeated(row, Guard::kLeastWithoutWords + 12 + Guard::kEvery)));
}

TEST(RepetitionGuard, TakesAllWhiteSpaceForTheSame) {
  Texts texts(5);
  Tokens text = texts.any(100, 5000);
  append(text, texts.any(Guard::kLeastBlank + Guard::kEvery, 30, Kind::blank));
  EXPECT_TRUE(found_after(text));
  Tokens lines = texts.any(100, 5000);
  append(lines, texts.any(Guard::kLeastBlank - 1, 30, Kind::blank));
  append(lines, texts.any(100, 5000));
  EXPECT_FALSE(found_after(lines));
}

// Far beyond what is kept of it.
TEST(RepetitionGuard, ReadsALongText) {
  Guard guard;
  std::uint32_t state = 1;
  for (int i = 0; i < 300'000; ++i) {
    state = state * 1664525U + 1013904223U;
    ASSERT_TRUE(guard.push(static_cast<std::int32_t>(state >> 20), Kind::word)) << i;
  }
}

}  // namespace
}  // namespace pleiad::sampling
