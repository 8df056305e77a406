// What an idle engine reads once more, step by step and without its thread: what comes amid a text,
// or ends it, loses nothing, and gives its memory back.

#include "engine/idle_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/file_changed_error.h"
#include "engine/compute_turn.h"
#include "engine/testing/bookkeeping_model_testing.h"
#include "engine/testing/engine_test_support.h"
#include "engine/testing/fake_towers.h"

namespace pleiad {
namespace {

using ::testing::ElementsAre;
using testing_support::BookkeepingModel;
using testing_support::kBookkeepingRows;
using testing_support::kMuchMemory;
using testing_support::random_tokens;
using testing_support::some_picture;
using Left = IdleReader::Left;
using Tokens = std::vector<text::TokenId>;

/// An engine's parts without its thread.
struct IdleParts {
  explicit IdleParts(std::uint64_t limit = kMuchMemory, std::int64_t step = kBookkeepingRows)
      : model(step), memory(model, KvType::f32, limit, step) {}

  void add(const Tokens& text, CacheScope scope = CacheScope::common,
           std::vector<PromptMedia> media = {}) {
    reader.add(scope, text, std::move(media));
  }
  void read_all() {
    while (reader.advance() == Left::some) {
    }
  }
  /// Of a text and more after it.
  std::int64_t cached(Tokens text, CacheScope scope = CacheScope::common) {
    text.push_back(7);
    auto started = memory.start(text, std::ssize(text), std::ssize(text), CacheUse{scope});
    if (!started) return -1;
    const std::int64_t n = started->use->sequence->length();
    EXPECT_TRUE(model.holds(*started->use->sequence, text));
    memory.end(*started->use);
    return n;
  }
  std::vector<std::int64_t> sizes() const {
    std::vector<std::int64_t> all;
    for (const auto& pass : model.passes) all.push_back(std::ssize(pass.tokens));
    return all;
  }

  BookkeepingModel model;
  KvMemory memory;
  ComputeTurn turn;
  IdleReader reader{model, memory, &turn};
};

TEST(IdleReading, IsThatOfAPromptInSmallSlices) {
  IdleParts parts;
  const Tokens text = random_tokens(100, 1);
  parts.add(text);
  for (int slice = 0; slice < 4; ++slice) EXPECT_EQ(parts.reader.advance(), Left::some);
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
  EXPECT_THAT(parts.sizes(), ElementsAre(32, 32, 32, 4));
  Tokens read;
  for (const auto& pass : parts.model.passes) {
    EXPECT_EQ(pass.first, std::ssize(read));
    EXPECT_EQ(pass.phase, Phase::prompt);
    EXPECT_EQ(pass.logits, WantLogits::none);
    read.insert(read.end(), pass.tokens.begin(), pass.tokens.end());
  }
  EXPECT_EQ(read, text);
  EXPECT_EQ(parts.reader.n_read(), 100U);
  EXPECT_EQ(parts.cached(text), 100);
}

TEST(IdleReading, HasNoLargerSlicesThanPasses) {
  IdleParts parts(kMuchMemory, 20);
  parts.add(random_tokens(50, 1));
  parts.read_all();
  EXPECT_THAT(parts.sizes(), ElementsAre(20, 20, 10));
}

TEST(IdleReading, LooksAtTheTurnAgainBeforeEachSlice) {
  IdleParts parts;
  parts.add(random_tokens(100, 1));
  EXPECT_EQ(parts.reader.advance(), Left::some);
  parts.turn.answers_began();
  EXPECT_EQ(parts.reader.advance(), Left::later);
  EXPECT_EQ(parts.reader.n_read(), 32U);
  parts.turn.answers_ended();
  parts.read_all();
  EXPECT_THAT(parts.sizes(), ElementsAre(32, 32, 32, 4));
}

TEST(IdleReading, HasTheTurnWhileItComputes) {
  IdleParts parts;
  parts.add(random_tokens(60, 1));
  std::atomic<bool> has_turn = false;
  bool asked = false;
  std::future<void> other;
  parts.model.before_pass = [&] {
    if (std::exchange(asked, true)) return;
    other = std::async(std::launch::async, [&] {
      const std::lock_guard turn(parts.turn);
      has_turn = true;
    });
    while (parts.turn.n_waiting() == 0 && !has_turn) std::this_thread::yield();
    EXPECT_FALSE(has_turn);
  };
  EXPECT_EQ(parts.reader.advance(), Left::some);
  other.get();
  parts.read_all();
  EXPECT_EQ(parts.reader.n_read(), 60U);
}

TEST(IdleReading, TakesTheNewestFirstAndGoesOnWithTheOthers) {
  IdleParts parts;
  const Tokens first = random_tokens(90, 1);
  const Tokens second = random_tokens(40, 2);
  parts.add(first);
  parts.reader.advance();
  parts.add(second);
  parts.read_all();
  // Nothing twice: of the first the end of what had been read was kept.
  EXPECT_THAT(parts.sizes(), ElementsAre(32, 32, 8, 32, 26));
  EXPECT_EQ(parts.model.passes[3].first, 32);
  EXPECT_EQ(parts.cached(first), 90);
  EXPECT_EQ(parts.cached(second), 40);
}

TEST(IdleReading, ARequestThatComesMidwayHasAllMemoryAndFindsWhatWasRead) {
  const Tokens text = random_tokens(300, 1);
  IdleParts parts;
  parts.add(text);
  for (int slice = 0; slice < 3; ++slice) parts.reader.advance();
  EXPECT_GT(parts.memory.cache().lasting_bytes(), 0U);
  parts.reader.pause();
  EXPECT_EQ(parts.memory.cache().lasting_bytes(), 0U) << "of sequences";
  EXPECT_EQ(parts.cached(text), 96);
  // It was the next turn of the same conversation: what is left was read by it.
  Tokens next = text;
  next.insert(next.end(), {1, 2, 3});
  auto use = std::move(parts.memory.start(next, 303, 303, CacheUse{})->use);
  while (use->sequence->length() < 303) {
    const std::int64_t done = use->sequence->length();
    const std::int64_t n = std::min<std::int64_t>(kBookkeepingRows, 303 - done);
    parts.memory.reserve(*use, n);
    const Slice slice = {use->sequence.get(), std::span(next).subspan(done, n), WantLogits::none};
    parts.model.forward({&slice, 1}, parts.memory.cache());
    parts.memory.keep_pages(*use, next, done, done + n);
  }
  parts.memory.keep_end(*use, next);
  parts.memory.end(*use);
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
  EXPECT_EQ(parts.reader.n_read(), 96U);
}

TEST(IdleReading, ARequestOfSomethingElseOnlyDelaysIt) {
  IdleParts parts;
  const Tokens text = random_tokens(300, 1);
  parts.add(text);
  for (int slice = 0; slice < 5; ++slice) {
    parts.reader.advance();
    parts.reader.pause();
    parts.reader.pause();  // once more changes nothing
    EXPECT_EQ(parts.cached(random_tokens(10, 9)), 0);
  }
  parts.read_all();
  EXPECT_EQ(parts.reader.n_read(), 300U);
  EXPECT_EQ(parts.cached(text), 300);
}

TEST(IdleReading, WhatIsClearedIsForgottenAndWhatWasReadIsKept) {
  IdleParts parts;
  const Tokens text = random_tokens(100, 1);
  parts.add(random_tokens(80, 2));
  parts.add(text);
  parts.reader.advance();
  parts.reader.clear();
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
  EXPECT_EQ(parts.reader.n_read(), 32U);
  EXPECT_EQ(parts.memory.cache().lasting_bytes(), 0U);
  EXPECT_EQ(parts.cached(text), 32);
}

TEST(IdleReading, ReadsNothingOfWhatIsCachedButForItsLastToken) {
  IdleParts parts;
  const Tokens text = random_tokens(100, 1);
  parts.add(text);
  parts.add({500});
  parts.add({});
  parts.read_all();
  EXPECT_EQ(parts.reader.n_read(), 100U) << "one token is computed by whoever asks";
  Tokens longer = text;
  longer.push_back(3);
  parts.add(text);
  parts.add(longer);
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
  parts.add({longer.begin(), longer.begin() + 64});
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
  longer.push_back(4);
  parts.add(longer);
  parts.read_all();
  EXPECT_EQ(parts.reader.n_read(), 102U);
}

TEST(IdleReading, ForgetsTheOldestOfManyTexts) {
  IdleParts parts;
  std::vector<Tokens> texts;
  for (std::uint32_t i = 0; i < 10; ++i) {
    texts.push_back(random_tokens(20, 100 + i));
    parts.add(texts.back());
  }
  parts.read_all();
  EXPECT_EQ(parts.model.passes.size(), 8U);
  EXPECT_EQ(parts.model.passes.front().tokens, texts.back());
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(parts.cached(texts[i]), i < 2 ? 0 : 20) << i;
}

TEST(IdleReading, StaysInTheScopeOfAText) {
  IdleParts parts;
  const Tokens text = random_tokens(100, 1);
  parts.add(text, CacheScope{3});
  parts.read_all();
  EXPECT_EQ(parts.cached(text), 0);
  EXPECT_EQ(parts.cached(text, CacheScope{4}), 0);
  EXPECT_EQ(parts.cached(text, CacheScope{3}), 100);
}

TEST(IdleReading, LeavesOutATextThatTheMemoryHasNoRoomFor) {
  IdleParts parts(IdleParts().memory.bytes_for(200));
  parts.add(random_tokens(190, 1));
  parts.add(random_tokens(400, 2));
  parts.read_all();
  EXPECT_EQ(parts.reader.n_read(), 190U);
  for (const auto& pass : parts.model.passes) EXPECT_LE(pass.first, 190);
}

// Its own passed windows are kept as well, until they have taken the place of its newest page.
TEST(IdleReading, EndsATextWhosePagesGoAgainWhileItIsRead) {
  const std::uint64_t limit = IdleParts().memory.bytes_for(641);
  IdleParts parts(limit);
  const Tokens text = random_tokens(640, 1);
  parts.add(text);
  std::uint64_t most = 0;
  while (parts.reader.advance() == Left::some) {
    most = std::max(most, parts.memory.cache().used_bytes());
  }
  EXPECT_LE(most, limit);
  EXPECT_GT(parts.memory.prefixes().n_evicted(), 0U);
  EXPECT_LT(parts.reader.n_read(), 640U);
  EXPECT_EQ(parts.memory.cache().lasting_bytes(), 0U);
  const std::int64_t n = parts.cached(text);
  EXPECT_GT(n, 0);
  EXPECT_LT(n, 640);
  const std::uint64_t read = parts.reader.n_read();
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
  EXPECT_EQ(parts.reader.n_read(), read) << "it is not tried again";
}

TEST(IdleReading, APassThatFailsEndsItsTextAlone) {
  IdleParts parts;
  const Tokens bad = random_tokens(100, 1);
  const Tokens good = random_tokens(50, 2);
  parts.add(good);
  parts.add(bad);
  parts.reader.advance();
  parts.model.before_pass = [] { throw std::runtime_error("no"); };
  EXPECT_THROW(parts.reader.advance(), std::runtime_error);
  EXPECT_EQ(parts.memory.cache().lasting_bytes(), 0U);
  parts.model.before_pass = [] {};
  parts.read_all();
  EXPECT_EQ(parts.cached(bad), 0)
      << "32 tokens are less than a page, and whoever fails keeps no end";
  EXPECT_EQ(parts.cached(good), 50);
}

TEST(IdleReading, SaysWhenTheModelsFileChanged) {
  IdleParts parts;
  parts.add(random_tokens(100, 1));
  parts.model.before_pass = [] { throw FileChangedError("m.gguf was written to"); };
  EXPECT_THROW(parts.reader.advance(), FileChangedError);
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
}

// The rows that a tower makes of a picture are gone when it is read.
TEST(IdleReading, ReadsBehindMediaAndNeverThroughThem) {
  IdleParts parts;
  const Tokens text = random_tokens(200, 1);
  const std::vector<PromptMedia> media = {{20, 30, some_picture(1, 30)}};
  parts.add(text, CacheScope::common, media);
  EXPECT_EQ(parts.reader.advance(), Left::nothing);
  EXPECT_TRUE(parts.model.passes.empty());

  // A prompt brought it: its first page is there.
  auto use = std::move(parts.memory.start({text, media}, 64, 64, CacheUse{})->use);
  parts.memory.reserve(*use, 48);
  const Slice first = {use->sequence.get(), std::span(text).first(48), WantLogits::none};
  parts.model.forward({&first, 1}, parts.memory.cache());
  parts.memory.reserve(*use, 16);
  const Slice second = {use->sequence.get(), std::span(text).subspan(48, 16), WantLogits::none};
  parts.model.forward({&second, 1}, parts.memory.cache());
  parts.memory.keep_pages(*use, {text, media}, 0, 64);
  parts.memory.end(*use);
  parts.model.passes.clear();

  parts.add(text, CacheScope::common, media);
  parts.read_all();
  ASSERT_FALSE(parts.model.passes.empty());
  EXPECT_EQ(parts.model.passes.front().first, 64);
  EXPECT_EQ(parts.reader.n_read(), 136U);
  parts.add(text, CacheScope::common, {{20, 30, some_picture(2, 30)}});
  EXPECT_EQ(parts.reader.advance(), Left::nothing) << "another picture there";
}

TEST(IdleReading, GoesWithoutATurnToShare) {
  IdleParts parts;
  IdleReader alone(parts.model, parts.memory, nullptr);
  alone.add(CacheScope::common, random_tokens(40, 1), {});
  EXPECT_EQ(alone.advance(), Left::some);
  EXPECT_EQ(alone.advance(), Left::some);
  EXPECT_EQ(alone.advance(), Left::nothing);
  EXPECT_EQ(alone.n_read(), 40U);
}

TEST(IdleReading, ThatNobodyEndsGivesItsMemoryBack) {
  IdleParts parts;
  const Tokens text = random_tokens(100, 1);
  {
    IdleReader gone(parts.model, parts.memory, nullptr);
    gone.add(CacheScope::common, text, {});
    gone.advance();
  }
  EXPECT_EQ(parts.memory.cache().lasting_bytes(), 0U);
  EXPECT_EQ(parts.cached(text), 32);
}

}  // namespace
}  // namespace pleiad
