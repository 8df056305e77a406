// The pages on which texts end, in a scope that several share: found to the token by whoever may
// know that much, in copies that nobody else writes, and never more than what was computed.

#include "engine/kv_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/testing/sanitizers.h"
#include "engine/testing/bookkeeping_model_testing.h"
#include "engine/testing/engine_test_support.h"

namespace pleiad {
namespace {

using testing_support::BookkeepingModel;
using testing_support::kBookkeepingRows;
using testing_support::kMuchMemory;
using testing_support::random_tokens;
using Tokens = std::vector<text::TokenId>;

constexpr std::int64_t kTokensOfPage = 64;

Tokens in_a_row(std::initializer_list<Tokens> parts) {
  Tokens all;
  for (const Tokens& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Tokens first_of(const Tokens& text, std::int64_t n) { return {text.begin(), text.begin() + n}; }

struct CheckedMemory {
  explicit CheckedMemory(std::uint64_t limit = kMuchMemory)
      : memory(model, KvType::f32, limit, kBookkeepingRows) {}

  std::unique_ptr<KvUse> start(const Tokens& prompt, std::int64_t most, CacheUse cache = {}) {
    auto started = memory.start(prompt, most, most, cache);
    if (!started) return nullptr;
    EXPECT_TRUE(model.holds(*started->use->sequence, prompt));
    return std::move(started->use);
  }
  /// What is left of a text, its whole pages kept.
  void compute(KvUse& use, const Tokens& text) {
    for (std::int64_t n = 0; use.sequence->length() < std::ssize(text);) {
      const std::int64_t done = use.sequence->length();
      n = std::min(kBookkeepingRows, std::ssize(text) - done);
      memory.reserve(use, n);
      const auto part =
          std::span(text).subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(n));
      const Slice slice = {use.sequence.get(), part, WantLogits::none};
      model.forward({&slice, 1}, memory.cache());
      memory.keep_pages(use, text, done, done + n);
    }
  }
  /// How much of a text was cached when it began; all of it is, then.
  std::int64_t run(const Tokens& text, CacheUse cache = {}) {
    auto use = start(text, std::ssize(text), cache);
    if (!use) return -1;
    const std::int64_t cached = use->sequence->length();
    compute(*use, text);
    EXPECT_TRUE(model.holds(*use->sequence, text));
    memory.keep_end(*use, text);
    memory.end(*use);
    return cached;
  }
  /// How much of a text is cached.
  std::int64_t cached(const Tokens& text, CacheUse cache = {}) {
    auto use = start(in_a_row({text, {7}}), std::ssize(text) + 1, cache);
    if (!use) return -1;
    const std::int64_t n = use->sequence->length();
    memory.end(*use);
    return n;
  }

  BookkeepingModel model;
  KvMemory memory;
};

constexpr CacheUse kWholePages = {CacheScope::common, false};

TEST(KvMemoryEnds, AreFoundToTheTokenByWhoMayKnowThatMuch) {
  CheckedMemory memory;
  const Tokens text = random_tokens(150, 1);
  EXPECT_EQ(memory.run(text), 0);
  EXPECT_EQ(memory.cached(text), 150);
  EXPECT_EQ(memory.cached(text, kWholePages), 128);
  EXPECT_EQ(memory.cached(in_a_row({first_of(text, 140), {1, 2, 3}})), 140);
  EXPECT_EQ(memory.cached(in_a_row({first_of(text, 140), {1, 2, 3}}), kWholePages), 128);
  EXPECT_EQ(memory.cached(in_a_row({first_of(text, 100), {1}})), 100) << "amid a whole page";
  EXPECT_EQ(memory.cached(in_a_row({first_of(text, 100), {1}}), kWholePages), 64);
}

// Who writes in whole pages fills the cache all the same, and others find his end.
TEST(KvMemoryEnds, AreKeptWhoeverComputedThem) {
  CheckedMemory memory;
  const Tokens text = random_tokens(150, 1);
  EXPECT_EQ(memory.run(text, kWholePages), 0);
  EXPECT_EQ(memory.cached(text), 150);
  EXPECT_EQ(memory.run(text, kWholePages), 128);
}

TEST(KvMemoryEnds, AFewTokensThatManyTextsBeginWithAreNotWorthACopy) {
  CheckedMemory memory;
  const Tokens text = random_tokens(40, 1);
  memory.run(text);
  EXPECT_EQ(memory.cached(in_a_row({first_of(text, 15), {1, 2}})), 0);
  EXPECT_EQ(memory.cached(in_a_row({first_of(text, 16), {1, 2}})), 16);
  const Tokens longer = random_tokens(150, 2);
  memory.run(longer);
  EXPECT_EQ(memory.cached(in_a_row({first_of(longer, 129), {1, 2}})), 129)
      << "behind whole pages every token is";
}

TEST(KvMemoryEnds, OfSeveralTextsOnOnePageEachIsFound) {
  CheckedMemory memory;
  const Tokens stem = random_tokens(100, 1);
  std::vector<Tokens> texts;
  for (std::uint32_t i = 0; i < 6; ++i) {
    texts.push_back(in_a_row({stem, random_tokens(5 + 3 * i, 10 + i)}));
    EXPECT_EQ(memory.run(texts.back()), i == 0 ? 0 : 100) << i;
  }
  for (const Tokens& text : texts) EXPECT_EQ(memory.cached(text), std::ssize(text));
  EXPECT_EQ(memory.memory.prefixes().n_pages(), 1U + 6U);
}

TEST(KvMemoryEnds, MakeRoomForThoseThatHaveMore) {
  CheckedMemory memory;
  const Tokens text = random_tokens(120, 1);
  for (const std::int64_t n : {70, 90, 120}) memory.run(first_of(text, n));
  EXPECT_EQ(memory.memory.prefixes().n_pages(), 2U);
  memory.run(first_of(text, 80));
  EXPECT_EQ(memory.memory.prefixes().n_pages(), 2U) << "the longer one has it all";
  EXPECT_EQ(memory.cached(text), 120);
}

TEST(KvMemoryEnds, AreCopiedForEachWhoGoesOnFromThem) {
  CheckedMemory memory;
  const Tokens stem = random_tokens(100, 1);
  memory.run(stem);
  const Tokens one = in_a_row({stem, random_tokens(80, 2)});
  const Tokens other = in_a_row({stem, random_tokens(80, 3)});
  auto first = memory.start(one, 180);
  auto second = memory.start(other, 180);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->sequence->length(), 100);
  EXPECT_EQ(second->sequence->length(), 100);
  for (const std::size_t group : {0U, 1U}) {
    EXPECT_EQ(first->sequence->pages(group)[0], second->sequence->pages(group)[0]);
    EXPECT_NE(first->sequence->pages(group)[1], second->sequence->pages(group)[1]);
  }
  memory.compute(*first, one);
  memory.compute(*second, other);
  EXPECT_TRUE(memory.model.holds(*first->sequence, one));
  EXPECT_TRUE(memory.model.holds(*second->sequence, other));
  memory.memory.end(*first);
  memory.memory.end(*second);
  EXPECT_EQ(memory.cached(stem), 100) << "nobody wrote into it";
}

TEST(KvMemoryEnds, StayInTheirScope) {
  CheckedMemory memory;
  const Tokens text = random_tokens(100, 1);
  memory.run(text, {CacheScope{5}, true});
  EXPECT_EQ(memory.cached(text), 0);
  EXPECT_EQ(memory.cached(text, {CacheScope{5}, true}), 100);
  memory.run(first_of(text, 90));
  EXPECT_EQ(memory.cached(text), 90);
  EXPECT_EQ(memory.cached(text, {CacheScope{6}, true}), 0);
}

// A reply is no part of what is kept where it rounds otherwise, and may have moved the windows on.
TEST(KvMemoryEnds, AreNotKeptOnceTheWindowsHavePassedThem) {
  for (const std::int64_t n_reply : {10, 127, 128, 300}) {
    SCOPED_TRACE(n_reply);
    CheckedMemory memory;
    const Tokens prompt = random_tokens(100, 1);
    const Tokens reply = random_tokens(static_cast<std::size_t>(n_reply), 2);
    auto use = memory.start(prompt, 100 + n_reply);
    memory.compute(*use, prompt);
    for (const text::TokenId token : reply) {
      memory.memory.reserve(*use, 1);
      const Slice slice = {use->sequence.get(), {&token, 1}, WantLogits::last, Phase::generation};
      memory.model.forward({&slice, 1}, memory.memory.cache());
    }
    const bool is_there = use->sequence->holds(1);
    EXPECT_EQ(is_there, n_reply < 128);
    memory.memory.keep_end(*use, prompt);
    memory.memory.end(*use);
    EXPECT_EQ(memory.cached(prompt), is_there ? 100 : 64);
    EXPECT_EQ(memory.cached(in_a_row({prompt, reply})), is_there ? 100 : 64) << "none of the reply";
  }
}

TEST(KvMemoryEnds, AreNotKeptOfWhatFillsNoCache) {
  CheckedMemory memory;
  const Tokens text = random_tokens(70, 2);
  auto started = memory.memory.start(text, 70, 70, std::nullopt);
  ASSERT_TRUE(started);
  memory.compute(*started->use, text);
  memory.memory.keep_end(*started->use, text);
  memory.memory.end(*started->use);
  EXPECT_EQ(memory.memory.prefixes().n_pages(), 0U);
}

// What is copied stays until it is, and there is no room for both.
TEST(KvMemoryEnds, AreComputedAnewWhereTheirCopyHasNoRoom) {
  const std::uint64_t limit = CheckedMemory().memory.bytes_for(60);
  CheckedMemory memory(limit);
  const Tokens text = random_tokens(50, 1);
  EXPECT_EQ(memory.run(first_of(text, 40)), 0);
  EXPECT_EQ(memory.run(text), 0);
  EXPECT_LE(memory.memory.cache().used_bytes(), limit);
  EXPECT_EQ(memory.run(random_tokens(60, 2)), 0);
  EXPECT_LE(memory.memory.cache().used_bytes(), limit);
}

class RandomTexts : public ::testing::Test {
 protected:
  /// Goes on with the beginning of one that was computed, or begins anew; two kinds of tokens, so
  /// that texts meet again after they part.
  Tokens next() {
    Tokens text;
    if (!texts_.empty() && below(5) > 0) {
      const Tokens& from = texts_[static_cast<std::size_t>(below(std::ssize(texts_)))];
      text = first_of(from, 1 + below(std::ssize(from)));
    }
    for (std::int64_t n = 1 + below(90); n > 0; --n) {
      text.push_back(static_cast<text::TokenId>(1 + below(2)));
    }
    return text;
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  /// As much of a text as one that was computed begins with.
  std::int64_t longest(const Tokens& text) const {
    std::int64_t most = 0;
    for (const Tokens& other : texts_) {
      const auto differs = std::mismatch(text.begin(), text.end(), other.begin(), other.end());
      most = std::max<std::int64_t>(most, differs.first - text.begin());
    }
    return std::min(most, std::ssize(text) - 1);
  }

  std::mt19937_64 random_{5};
  std::vector<Tokens> texts_;
};

TEST_F(RandomTexts, AreFoundAsFarAsAnyThatWasComputedAgrees) {
  CheckedMemory memory;
  for (int round = 0; round < unless_sanitized(400, 100); ++round) {
    const Tokens text = next();
    const bool within_pages = below(3) > 0;
    std::int64_t expected = longest(text);
    if (!within_pages) expected = expected / kTokensOfPage * kTokensOfPage;
    if (expected < 16) expected = 0;
    ASSERT_EQ(memory.run(text, {CacheScope::common, within_pages}), expected) << "round " << round;
    texts_.push_back(text);
  }
}

TEST_F(RandomTexts, UnderASmallBudgetAreNeverFoundFurtherNorWrong) {
  const std::uint64_t limit = CheckedMemory().memory.bytes_for(2000);
  CheckedMemory memory(limit);
  std::int64_t n_found = 0;
  for (int round = 0; round < unless_sanitized(400, 100); ++round) {
    Tokens text = next();
    if (text.size() > 500) text.resize(500);
    const std::int64_t found = memory.run(text);
    ASSERT_GE(found, 0);
    ASSERT_LE(found, longest(text)) << "round " << round;
    ASSERT_LE(memory.memory.cache().used_bytes(), limit);
    n_found += found > 0 ? 1 : 0;
    texts_.push_back(text);
  }
  EXPECT_GT(n_found, 0);
  EXPECT_GT(memory.memory.prefixes().n_evicted(), 0U);
  memory.memory.clear_cache();
  EXPECT_EQ(memory.memory.cache().used_bytes(), 0U);
}

TEST(KvMemoryGoingBack, IsChargedWithWhatWindowsKeepForIt) {
  constexpr std::int64_t kMost = 900, kBack = 300;
  const std::uint64_t plain = CheckedMemory().memory.bytes_for(kMost);
  CheckedMemory tight(plain);
  EXPECT_FALSE(tight.memory.fits_going_back(kMost, kBack));
  EXPECT_TRUE(tight.memory.fits_going_back(kMost, 0));
  CheckedMemory memory(2 * plain);
  ASSERT_TRUE(memory.memory.fits_going_back(kMost, kBack));
  const Tokens text = random_tokens(kMost, 1);
  const auto start = [&](std::int64_t goes_back) {
    auto started = memory.memory.start({text, {}}, kMost, kMost, std::nullopt, goes_back);
    return started ? std::move(started->use) : nullptr;
  };
  const auto back = start(kBack);
  ASSERT_TRUE(back);
  EXPECT_FALSE(start(0)) << "there is room for two that never go back";
  memory.compute(*back, first_of(text, 400));
  back->sequence->keep_from(400);
  memory.compute(*back, first_of(text, 400 + kBack));
  const KvCache& cache = memory.memory.cache();
  EXPECT_LE(cache.used_bytes(), cache.lasting_bytes_for(400 + kBack) +
                                    cache.sliding_bytes_for(kMost, kBookkeepingRows + kBack));
  EXPECT_GT(cache.used_bytes(), memory.memory.bytes_for(400 + kBack)) << "it needs that";
  ASSERT_TRUE(back->sequence->can_truncate(400));
  back->sequence->truncate(400);
  memory.compute(*back, first_of(text, 500));
  EXPECT_TRUE(memory.model.holds(*back->sequence, first_of(text, 500)));
  memory.memory.end(*back);
  const auto one = start(0), two = start(0);
  EXPECT_TRUE(one && two);
  for (const auto* use : {&one, &two}) memory.memory.end(**use);
}

}  // namespace
}  // namespace pleiad
