#include "engine/media/media_encoder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/file_changed_error.h"
#include "engine/testing/fake_towers.h"

namespace pleiad {
namespace {

using testing_support::FakeAudio;
using testing_support::FakeVision;
using testing_support::some_picture;
using testing_support::some_sound;

MediaRows rows_of_floats(std::size_t n) {
  return std::make_shared<const std::vector<float>>(n, 1.0F);
}

EncodingKey key_of(std::uint8_t number, CacheScope scope = CacheScope::common) {
  return {scope, {MediaTower::vision, {number}}};
}

TEST(EncodingCache, ForgetsTheLeastRecentlyUsed) {
  EncodingCache cache(100);
  cache.keep(key_of(1), rows_of_floats(10));
  cache.keep(key_of(2), rows_of_floats(10));
  EXPECT_EQ(cache.bytes(), 80U);
  EXPECT_TRUE(cache.find(key_of(1)));
  cache.keep(key_of(3), rows_of_floats(8));
  EXPECT_EQ(cache.bytes(), 72U);
  EXPECT_FALSE(cache.find(key_of(2)));
  EXPECT_TRUE(cache.find(key_of(1)));
  cache.keep(key_of(4), rows_of_floats(26));
  EXPECT_FALSE(cache.find(key_of(4))) << "larger than all that may be kept";
  EXPECT_TRUE(cache.find(key_of(1)));
  cache.keep(key_of(1), rows_of_floats(25));
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.bytes(), 100U);
  cache.clear();
  EXPECT_EQ(cache.bytes(), 0U);
  EXPECT_FALSE(cache.find(key_of(1)));
}

TEST(EncodingCache, AScopeFindsItsOwnAlone) {
  EncodingCache cache(1000);
  cache.keep(key_of(1, CacheScope{1}), rows_of_floats(4));
  EXPECT_FALSE(cache.find(key_of(1, CacheScope{2})));
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_TRUE(cache.find(key_of(1, CacheScope{1})));
}

TEST(EncodeCosts, GoByTheDearerSlices) {
  EncodeCosts costs;
  EXPECT_EQ(costs.rows_within(1), 0);
  costs.add(100, 1);
  EXPECT_DOUBLE_EQ(costs.rows_within(1), 100);
  costs.add(100, 2);
  EXPECT_DOUBLE_EQ(costs.rows_within(1), 50) << "at once";
  costs.add(100, 1);
  EXPECT_LT(costs.rows_within(1), 60) << "by and by";
}

TEST(MediaEncoder, IncreasesItsSlicesByAndBy) {
  FakeVision tower(8);
  std::vector<std::int64_t> rows;
  tower.on_rows = [&](std::int64_t n) { rows.push_back(n); };
  tower.on_part = [](int part) { return part == 30; };
  MediaEncoder encoder({.vision = [&]() -> VisionEncoder& { return tower; }, .audio = {}}, 1000);
  MediaEncoder::Want want;
  want.picture = some_picture(1, 2);
  MediaEncoder::Progress progress;
  while (!progress.is_done())
    progress = encoder.advance(want, std::numeric_limits<double>::infinity());
  EXPECT_EQ(*progress.rows, tower.rows_of(*want.picture));
  ASSERT_EQ(rows.size(), 31U);
  EXPECT_LE(rows.front(), 32) << "what a row costs in this picture is not known";
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i], 2 * rows[i - 1]);
  EXPECT_EQ(encoder.find(want), progress.rows);
  EXPECT_FALSE(encoder.current());
}

TEST(MediaEncoder, DoesNotTakeLoadingForTheCostOfRows) {
  FakeVision tower(8);
  tower.n_loading = 2;
  std::vector<std::int64_t> rows;
  tower.on_rows = [&](std::int64_t n) { rows.push_back(n); };
  tower.on_part = [](int part) {
    if (part < 2) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return part == 14;
  };
  MediaEncoder encoder({.vision = [&]() -> VisionEncoder& { return tower; }, .audio = {}}, 0);
  MediaEncoder::Want want;
  want.picture = some_picture(1);
  while (!encoder.advance(want, 0.4).is_done()) {
  }
  // By the time of the loading, 8 rows in 50 ms, a quarter of the slice would have room for 16.
  EXPECT_GT(rows.back(), 100);
}

TEST(MediaEncoder, GivesUpWhatItIsNotAskedForAnyMoreAndWhatFails) {
  constexpr double kWithoutLimit = 1000;  // a short slice may be over before the first part
  FakeVision tower(8);
  MediaEncoder encoder({.vision = [&]() -> VisionEncoder& { return tower; }, .audio = {}}, 1000);
  tower.on_part = [](int) { return false; };
  MediaEncoder::Want first;
  first.picture = some_picture(1, 2);
  MediaEncoder::Want second;
  second.picture = some_picture(2, 2);
  EXPECT_FALSE(encoder.advance(first, 0.001).is_done());
  ASSERT_TRUE(encoder.current());
  EXPECT_TRUE(encoder.current()->is_same(first));
  EXPECT_FALSE(encoder.advance(second, 0.001).is_done());
  EXPECT_TRUE(encoder.current()->is_same(second));
  EXPECT_EQ(tower.n_alive, 1);
  tower.on_part = [](int) -> bool { throw Error("torn"); };
  EXPECT_EQ(encoder.advance(second, kWithoutLimit).failure, "torn");
  EXPECT_EQ(tower.n_alive, 0);
  EXPECT_FALSE(encoder.find(second));
  tower.on_part = [](int) -> bool { throw FileChangedError("the model was written to"); };
  EXPECT_THROW(encoder.advance(second, kWithoutLimit), FileChangedError);
  EXPECT_EQ(tower.n_alive, 0);
}

TEST(MediaEncoder, TellsThatThereIsNoMemory) {
  FakeVision tower(8);
  FakeAudio audio(8);
  MediaEncoder encoder({.vision = [&]() -> VisionEncoder& { return tower; },
                        .audio = [&]() -> AudioEncoder& { return audio; }},
                       1000);
  MediaEncoder::Want want;
  want.picture = some_picture(1, 2);
  const auto expect_no_memory = [&](const MediaEncoder::Want& wanted) {
    const auto progress = encoder.advance(wanted, 1);
    EXPECT_TRUE(progress.no_memory);
    EXPECT_EQ(progress.failure, "there is no memory to encode it");
    EXPECT_FALSE(encoder.current());
  };
  tower.bytes_of_encoding = audio.bytes_of_encoding = std::numeric_limits<std::uint64_t>::max() / 2;
  expect_no_memory(want);
  MediaEncoder::Want heard;
  heard.sound = some_sound(1, 2);
  expect_no_memory(heard);
  EXPECT_EQ(tower.n_begun + audio.n_begun, 0) << "nothing is begun that may not be finished";
  tower.bytes_of_encoding = 0;
  tower.on_begin = [] { throw NoMemoryError("2.0 MiB of memory cannot be had"); };
  expect_no_memory(want);
  tower.on_begin = [] { throw Error("torn"); };
  EXPECT_FALSE(encoder.advance(want, 1).no_memory);
}

TEST(MediaEncoder, APictureAndAClipOfOneDigestAreTwoEncodings) {
  FakeVision vision(8);
  FakeAudio audio(8);
  MediaEncoder encoder({.vision = [&]() -> VisionEncoder& { return vision; },
                        .audio = [&]() -> AudioEncoder& { return audio; }},
                       10'000);
  MediaEncoder::Want seen;
  seen.picture = some_picture(1, 3);
  MediaEncoder::Want heard;
  heard.sound = some_sound(1, 3);
  EXPECT_FALSE(seen.is_same(heard));
  const double all = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(encoder.advance(seen, all).rows);
  EXPECT_FALSE(encoder.find(heard));
  const auto made = encoder.advance(heard, all).rows;
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, audio.rows_of(*heard.sound));
  EXPECT_EQ(encoder.find(heard), made);
  EXPECT_NE(encoder.find(seen), made);
  EXPECT_EQ(vision.n_begun, 1);
  EXPECT_EQ(audio.n_begun, 1);
}

TEST(MediaEncoder, WantsAreTheSameForOneScopeOrOneRequest) {
  MediaEncoder::Want want;
  want.picture = some_picture(1, 2);
  MediaEncoder::Want same = want;
  same.picture = some_picture(1, 2);
  EXPECT_TRUE(want.is_same(same));
  same.picture = some_picture(2, 2);
  EXPECT_FALSE(want.is_same(same));
  MediaEncoder::Want other = want;
  other.scope = CacheScope{3};
  EXPECT_FALSE(want.is_same(other));
  MediaEncoder::Want alone = want;
  alone.alone = 7;
  EXPECT_FALSE(want.is_same(alone));
}

}  // namespace
}  // namespace pleiad
