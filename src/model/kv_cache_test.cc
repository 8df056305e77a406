#include "model/kv_cache.h"

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"

namespace pleiad {
namespace {

class KvCacheTest : public ::testing::Test {
 protected:
  // Two sliding layers with a window of 10, one full layer; 4 positions a page.
  static constexpr KvCacheOptions kOptions = {KvType::bf16, 4};
  const std::vector<KvLayerShape> layers_ = {{1, 16, 10}, {2, 32, 0}, {1, 16, 10}};
  cpu::CpuBackend backend_{{.isa = "scalar", .n_threads = 1, .max_rows = 4}};
  KvCache cache_{backend_, layers_, kOptions};

  static void fill(KvSequence& sequence, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      sequence.reserve(1);
      sequence.advance(1);
    }
  }
  static int pages_held(const KvSequence& sequence, std::size_t group) {
    int count = 0;
    for (const std::byte* page : sequence.pages(group)) count += page != nullptr;
    return count;
  }
};

TEST_F(KvCacheTest, LayersOfOneWindowShareAGroupAndDoNotOverlap) {
  EXPECT_EQ(cache_.n_groups(), 2U);
  EXPECT_EQ(cache_.group_of(0), cache_.group_of(2));
  EXPECT_NE(cache_.group_of(0), cache_.group_of(1));
  const KvLayout& first = cache_.layout(0);
  const KvLayout& third = cache_.layout(2);
  EXPECT_EQ(first.block_bytes(), 1U * 4 * 16 * 2);
  EXPECT_EQ(first.value_offset, first.key_offset + first.block_bytes());
  EXPECT_EQ(third.key_offset, first.value_offset + first.block_bytes());
  EXPECT_EQ(cache_.layout(1).block_bytes(), 2U * 4 * 32 * 2);
}

TEST_F(KvCacheTest, QuantizedTypesHaveAScaleForEvery32Values) {
  const std::vector<KvLayerShape> layers = {{2, 64, 0}};
  KvCache eight(backend_, layers, {KvType::q8_0, 16});
  KvCache four(backend_, layers, {KvType::q4_0, 16});
  EXPECT_EQ(eight.layout(0).block_bytes(), 2U * 16 * 64 / 32 * (32 + 2));
  EXPECT_EQ(four.layout(0).block_bytes(), 2U * 16 * 64 / 32 * (16 + 2));
  for (const KvType type : {KvType::q8_0, KvType::q4_0}) {
    EXPECT_THROW(KvCache(backend_, layers_, {type, 16}), Error) << "heads of 16";
  }
}

TEST_F(KvCacheTest, GrowsOnDemandAndSlidingGroupsKeepOnlyTheirWindow) {
  KvSequence sequence(cache_);
  EXPECT_EQ(cache_.allocated_bytes(), 0U);
  fill(sequence, 100);
  const std::size_t sliding = cache_.group_of(0);
  EXPECT_EQ(pages_held(sequence, cache_.group_of(1)), 25);
  EXPECT_LE(pages_held(sequence, sliding), 4);
  // The next position, 100, sees 91 to 100: pages 22 (88..91) to 25.
  sequence.reserve(1);
  EXPECT_EQ(sequence.pages(sliding)[21], nullptr);
  EXPECT_NE(sequence.pages(sliding)[22], nullptr);
  EXPECT_NE(sequence.pages(sliding)[25], nullptr);
}

TEST_F(KvCacheTest, BytesForIsWhatASequenceHolds) {
  for (const std::int64_t n : {1, 4, 5, 13, 50, 101}) {
    KvSequence sequence(cache_);
    fill(sequence, n);
    EXPECT_LE(cache_.used_bytes(), cache_.bytes_for(n)) << n;
    const std::uint64_t full_page = 2 * cache_.layout(1).block_bytes();
    const std::uint64_t sliding_page = 4 * cache_.layout(0).block_bytes();
    EXPECT_GE(cache_.used_bytes() + sliding_page, cache_.bytes_for(n)) << n << " " << full_page;
  }
}

TEST_F(KvCacheTest, PagesOfADeadSequenceAreUsedAgain) {
  {
    KvSequence sequence(cache_);
    fill(sequence, 40);
  }
  EXPECT_EQ(cache_.used_bytes(), 0U);
  const std::uint64_t made = cache_.allocated_bytes();
  KvSequence sequence(cache_);
  fill(sequence, 40);
  EXPECT_EQ(cache_.allocated_bytes(), made);
}

TEST_F(KvCacheTest, GoesBackOnlyAsFarAsTheWindowsWereKept) {
  KvSequence sequence(cache_);
  fill(sequence, 40);
  sequence.keep_from(40);
  fill(sequence, 60);
  EXPECT_TRUE(sequence.can_truncate(100));
  EXPECT_TRUE(sequence.can_truncate(40));
  EXPECT_FALSE(sequence.can_truncate(30)) << "its window begins at 21, and that page is gone";
  EXPECT_FALSE(sequence.can_truncate(101));
  EXPECT_FALSE(sequence.can_truncate(-1));
  sequence.truncate(40);
  EXPECT_EQ(sequence.length(), 40);
  fill(sequence, 60);
  EXPECT_EQ(sequence.length(), 100);
  EXPECT_TRUE(sequence.can_truncate(40));
}

TEST_F(KvCacheTest, GoingBackGivesPagesBack) {
  KvSequence sequence(cache_);
  sequence.keep_from(0);
  fill(sequence, 40);
  EXPECT_TRUE(sequence.can_truncate(0));
  sequence.truncate(6);
  EXPECT_EQ(cache_.used_bytes(),
            2 * (2 * cache_.layout(1).block_bytes() + 4 * cache_.layout(0).block_bytes()));
  sequence.truncate(0);
  EXPECT_EQ(cache_.used_bytes(), 0U);
}

TEST_F(KvCacheTest, StartingAnewIsAlwaysPossible) {
  KvSequence sequence(cache_);
  fill(sequence, 100);
  EXPECT_FALSE(sequence.can_truncate(1));
  ASSERT_TRUE(sequence.can_truncate(0));
  sequence.truncate(0);
  EXPECT_EQ(cache_.used_bytes(), 0U);
  fill(sequence, 20);
  for (std::size_t group = 0; group < cache_.n_groups(); ++group) {
    EXPECT_NE(sequence.pages(group)[4], nullptr);
  }
}

TEST_F(KvCacheTest, ASequenceBeginsWithThePagesOfAnother) {
  auto first = std::make_unique<KvSequence>(cache_);
  std::vector<KvBlock> blocks;
  for (std::int64_t page = 0; page < 5; ++page) {
    fill(*first, 4);
    blocks.push_back(first->share(page));
  }
  fill(*first, 2);
  const std::vector<const KvBlock*> three = {&blocks[0], &blocks[1], &blocks[2]};
  KvSequence second(cache_);
  second.adopt(three);
  EXPECT_EQ(second.length(), 12);
  const std::size_t sliding = cache_.group_of(0);
  const std::size_t full = cache_.group_of(1);
  for (const std::size_t page : {0U, 1U, 2U}) {
    EXPECT_EQ(second.pages(full)[page], first->pages(full)[page]);
  }
  // The next position, 12, sees 3 to 12.
  EXPECT_EQ(pages_held(second, sliding), 3);
  const std::uint64_t shared = cache_.used_bytes();
  fill(second, 4);
  EXPECT_NE(second.pages(full)[3], first->pages(full)[3]) << "from here on it writes its own";
  EXPECT_GT(cache_.used_bytes(), shared);

  const std::vector<std::byte*> held(second.pages(full).begin(), second.pages(full).end());
  blocks.clear();
  first.reset();
  EXPECT_EQ(std::vector<std::byte*>(second.pages(full).begin(), second.pages(full).end()), held);
  EXPECT_EQ(pages_held(second, full), 4);
  EXPECT_EQ(cache_.block_bytes(), 0U);
  second.truncate(0);
  EXPECT_EQ(cache_.used_bytes(), 0U);
}

TEST_F(KvCacheTest, ALongSharedBeginningTakesNoMoreThanItsWindows) {
  KvSequence first(cache_);
  std::vector<KvBlock> blocks;
  std::vector<const KvBlock*> all;
  for (std::int64_t page = 0; page < 20; ++page) {
    fill(first, 4);
    blocks.push_back(first.share(page));
  }
  for (const KvBlock& block : blocks) all.push_back(&block);
  KvSequence second(cache_);
  second.adopt(all);
  EXPECT_EQ(pages_held(second, cache_.group_of(1)), 20);
  EXPECT_EQ(pages_held(second, cache_.group_of(0)), 3);
  EXPECT_FALSE(blocks[0].bytes_held_alone() == 0) << "the page that windows have passed";
  EXPECT_TRUE(blocks[0].in_use());
  EXPECT_EQ(blocks[19].bytes_held_alone(), 0U);
}

TEST_F(KvCacheTest, ASequenceGoesOnWithACopyOfTheBeginningOfAPage) {
  KvSequence first(cache_);
  fill(first, 4);
  const KvBlock whole = first.share(0);
  fill(first, 3);
  for (std::size_t group = 0; group < cache_.n_groups(); ++group) {
    first.pages(group)[1][5] = std::byte{77};
  }
  const KvBlock end = first.share_end(1);
  EXPECT_THROW(first.reserve(1), InternalError) << "it is written no more";
  EXPECT_THROW(first.share(1), InternalError) << "it is not whole";

  const KvBlock* blocks[] = {&whole};
  KvSequence second(cache_);
  second.adopt(blocks);
  second.adopt_copy(end, 2);
  EXPECT_EQ(second.length(), 6);
  for (std::size_t group = 0; group < cache_.n_groups(); ++group) {
    EXPECT_NE(second.pages(group)[1], first.pages(group)[1]);
    EXPECT_EQ(second.pages(group)[1][5], std::byte{77});
  }
  fill(second, 30);
  EXPECT_EQ(second.length(), 36);
  EXPECT_FALSE(second.holds(0)) << "the windows have passed it";
  EXPECT_TRUE(second.holds(8));
  EXPECT_FALSE(second.holds(9));
  EXPECT_THROW(second.adopt_copy(end, 4), InternalError) << "that is a whole page";
  second.truncate(0);
  second.adopt_copy(end, 3);
  EXPECT_EQ(second.length(), 3);
}

TEST_F(KvCacheTest, WritingASharedPageIsOurMistake) {
  KvSequence sequence(cache_);
  fill(sequence, 4);
  const KvBlock block = sequence.share(0);
  EXPECT_THROW(sequence.share(1), InternalError) << "it is not filled";
  EXPECT_THROW(sequence.share_end(1), InternalError) << "nothing is there";
  EXPECT_THROW(sequence.truncate(2), InternalError);
}

TEST_F(KvCacheTest, CountsBytesByWhoHoldsThem) {
  const std::uint64_t full_page = 2 * cache_.layout(1).block_bytes();
  const std::uint64_t sliding_page = 4 * cache_.layout(0).block_bytes();
  KvSequence first(cache_);
  fill(first, 6);
  KvBlock block = first.share(0);
  const KvBlock* blocks[] = {&block};
  KvSequence second(cache_);
  second.adopt(blocks);
  EXPECT_EQ(cache_.used_bytes(), 2 * (full_page + sliding_page));
  EXPECT_EQ(cache_.block_bytes(), full_page + sliding_page);
  EXPECT_EQ(cache_.lasting_bytes(), 2 * full_page);
  EXPECT_EQ(first.lasting_bytes(), 2 * full_page);
  EXPECT_EQ(first.lasting_bytes_alone(), full_page);
  EXPECT_EQ(second.lasting_bytes_alone(), 0U);
  EXPECT_EQ(cache_.bytes_to_reserve(first, 2), 0U);
  EXPECT_EQ(cache_.bytes_to_reserve(first, 3), full_page + sliding_page);
}

TEST_F(KvCacheTest, ASequenceNeverHoldsMoreThanIsPlannedForIt) {
  for (const std::int64_t step : {1, 3, 4, 7, 30}) {
    for (const std::int64_t n : {1, 13, 60, 101}) {
      KvSequence sequence(cache_);
      const std::uint64_t planned = cache_.lasting_bytes_for(n) + cache_.sliding_bytes_for(n, step);
      for (std::int64_t at = 0; at < n; at = sequence.length()) {
        const std::int64_t part = std::min(step, n - at);
        sequence.reserve(part);
        ASSERT_LE(cache_.used_bytes(), planned) << at << " of " << n << " by " << step;
        sequence.advance(part);
      }
    }
  }
}

TEST_F(KvCacheTest, FreePagesGiveWayUnderALimit) {
  const std::uint64_t full_page = 2 * cache_.layout(1).block_bytes();
  const std::uint64_t sliding_page = 4 * cache_.layout(0).block_bytes();
  KvCacheOptions options = kOptions;
  options.max_bytes = 20 * full_page + 4 * sliding_page;
  KvCache limited(backend_, layers_, options);
  {
    std::vector<std::unique_ptr<KvSequence>> short_ones;  // many pages of windows
    for (int i = 0; i < 8; ++i) {
      short_ones.push_back(std::make_unique<KvSequence>(limited));
      short_ones.back()->reserve(1);
    }
  }
  KvSequence sequence(limited);
  fill(sequence, 80);
  EXPECT_LE(limited.used_bytes(), options.max_bytes);
  EXPECT_LE(limited.allocated_bytes(), options.max_bytes);
  sequence.truncate(0);
  EXPECT_GT(limited.allocated_bytes(), 0U);
  limited.drop_free_pages();
  EXPECT_EQ(limited.allocated_bytes(), 0U);
}

TEST_F(KvCacheTest, AdvancingBeyondWhatIsReservedIsOurMistake) {
  KvSequence sequence(cache_);
  sequence.reserve(3);
  EXPECT_THROW(sequence.advance(4), InternalError);
}

}  // namespace
}  // namespace pleiad
