#include "apps/pull/transfer_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::uint64_t kMB = 1'000'000;

pull::Progress at(const std::string& digest, std::uint64_t total, std::uint64_t completed) {
  return {"pulling " + digest, digest, total, completed};
}

TEST(TransferMeter, TellsRateAndTimeLeftOfWhatComes) {
  TransferMeter meter({{"model", "a", 1000 * kMB, 0}});
  for (int second = 0; second <= 4; ++second) {
    meter.add(at("a", 1000 * kMB, static_cast<std::uint64_t>(second) * 50 * kMB), second);
  }
  EXPECT_NEAR(meter.rate(4), 50e6, 1e6);
  EXPECT_EQ(meter.summary(4), "200 MB of 1.0 GB, 50.0 MB a second, 16 s left");
  EXPECT_THAT(
      meter.lines(80, 4),
      ElementsAre(
          "  model [===              ]  20%  200 MB of 1.0 GB, 50.0 MB a second, 16 s left"));
}

TEST(TransferMeter, WhatWasThereBeforeIsNoRate) {
  TransferMeter meter({{"model", "a", 1000 * kMB, 900 * kMB}});
  EXPECT_EQ(meter.completed(), 900 * kMB);
  meter.add(at("a", 1000 * kMB, 900 * kMB), 0);
  meter.add(at("a", 1000 * kMB, 910 * kMB), 1);
  EXPECT_NEAR(meter.rate(1), 10e6, 1e6);
}

TEST(TransferMeter, ReadingAgainWhatWasThereIsNoProgress) {
  TransferMeter meter({{"model", "a", 1000 * kMB, 900 * kMB}});
  for (int second = 0; second < 3; ++second) {
    meter.add(at("a", 1000 * kMB, static_cast<std::uint64_t>(second + 1) * 300 * kMB), second);
    EXPECT_EQ(meter.completed(), 900 * kMB) << "nothing was lost";
    EXPECT_EQ(meter.rate(second), 0);
  }
  meter.add(at("a", 1000 * kMB, 920 * kMB), 3);
  meter.add(at("a", 1000 * kMB, 940 * kMB), 4);
  EXPECT_NEAR(meter.rate(4), 10e6, 1e6) << "40 MB in all these seconds";
  meter.add(at("a", 1000 * kMB, 10 * kMB), 5);
  EXPECT_EQ(meter.completed(), 10 * kMB) << "it starts over";
}

TEST(TransferMeter, TheRateIsOfTheLastSeconds) {
  TransferMeter meter({{"model", "a", 10'000 * kMB, 0}});
  std::uint64_t done = 0;
  for (int second = 0; second < 30; ++second) {
    meter.add(at("a", 10'000 * kMB, done += (second < 15 ? 100 : 10) * kMB), second);
  }
  EXPECT_NEAR(meter.rate(29), 10e6, 2e6);
}

TEST(TransferMeter, ShowsTheFilesThatMoveAndAllOfThem) {
  TransferMeter meter({{"model", "a", 100 * kMB, 0}, {"projector", "b", 100 * kMB, 0}});
  meter.add(at("a", 100 * kMB, 100 * kMB), 0);
  meter.add(at("b", 100 * kMB, 50 * kMB), 1);
  const auto lines = meter.lines(80, 1);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], HasSubstr("  projector ["));
  EXPECT_THAT(lines[0], HasSubstr(" 50%  50.0 MB of 100 MB"));
  EXPECT_THAT(lines[1], HasSubstr("  all       ["));
  EXPECT_THAT(lines[1], HasSubstr(" 75%  150 MB of 200 MB"));
}

TEST(TransferMeter, NoLineIsWiderThanTheTerminal) {
  TransferMeter meter(
      {{"a-very-long-name-of-a-file-that-is-very-long-indeed.gguf", "a", 100 * kMB, 0},
       {"b", "b", 100 * kMB, 0}});
  meter.add(at("a", 100 * kMB, 1), 0);
  meter.add(at("b", 100 * kMB, 1), 5);
  for (const int columns : {1, 2, 10, 40, 60, 79, 200}) {
    for (const std::string& line : meter.lines(columns, 6)) {
      EXPECT_LE(line.size(), static_cast<std::size_t>(std::max(columns - 1, 1))) << columns;
    }
  }
}

TEST(TransferMeter, ShowsWhatIsDoneBesideTheFiles) {
  TransferMeter meter({});
  meter.add({.status = "pushing manifest\x1b"}, 0);
  EXPECT_THAT(meter.lines(80, 0), ElementsAre("  pushing manifest\\x1b"));
  meter.add(at("0123456789ab", 10 * kMB, kMB), 1);
  EXPECT_THAT(meter.lines(80, 1)[0], HasSubstr("  0123456789ab ["));
}

}  // namespace
}  // namespace pleiad::apps
