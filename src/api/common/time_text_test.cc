#include "api/common/time_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "api/common/id_source.h"

namespace pleiad::api {
namespace {

TEST(TimeText, IsRfc3339WithNanoseconds) {
  const WallTime base = std::chrono::system_clock::from_time_t(1'700'000'000);
  EXPECT_EQ(rfc3339(base), "2023-11-14T22:13:20Z");
  EXPECT_EQ(rfc3339(base + std::chrono::nanoseconds(123'456'789)),
            "2023-11-14T22:13:20.123456789Z");
  EXPECT_EQ(rfc3339(base + std::chrono::milliseconds(50)), "2023-11-14T22:13:20.05Z");
  EXPECT_EQ(rfc3339(std::time_t{0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(unix_seconds(base + std::chrono::milliseconds(900)), 1'700'000'000);
}

TEST(TimeText, DurationsAreWholeNanoseconds) {
  EXPECT_EQ(nanoseconds(1.5), 1'500'000'000);
  EXPECT_EQ(nanoseconds(0), 0);
  EXPECT_EQ(nanoseconds(-1), 0);
  EXPECT_EQ(nanoseconds(std::nan("")), 0);
  EXPECT_EQ(nanoseconds(INFINITY), 0);
}

TEST(IdSource, MakesDifferentIdsOfTheAskedLength) {
  const IdSource ids;
  const std::string first = ids.make("call_", 8);
  EXPECT_EQ(first.size(), 13U);
  EXPECT_EQ(first.substr(0, 5), "call_");
  EXPECT_NE(first, ids.make("call_", 8));
  EXPECT_NE(first, IdSource().make("call_", 8));
  constexpr double kBitsOfALetter = 5.16;
  const auto usual = static_cast<double>(ids.make("").size());
  EXPECT_GE(usual * kBitsOfALetter, 128);
}

}  // namespace
}  // namespace pleiad::api
