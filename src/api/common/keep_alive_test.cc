#include "api/common/keep_alive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "api/common/request_error.h"

namespace pleiad::api {
namespace {

std::optional<double> seconds(const Json& value) {
  const Json request = {{"keep_alive", value}};
  FieldReader fields(request);
  const auto keep_alive = read_keep_alive(fields);
  if (!keep_alive) return std::nullopt;
  return keep_alive->seconds;
}

constexpr double kForEver = std::numeric_limits<double>::infinity();

TEST(KeepAlive, IsSecondsWhereItIsANumber) {
  EXPECT_EQ(seconds(300), 300);
  EXPECT_EQ(seconds(0.5), 0.5);
  EXPECT_EQ(seconds(0), 0);
}

TEST(KeepAlive, IsADurationAsGoWritesIt) {
  EXPECT_EQ(seconds("5m"), 300);
  EXPECT_EQ(seconds("1h30m"), 5400);
  EXPECT_EQ(seconds("1.5h"), 5400);
  EXPECT_EQ(seconds("0"), 0);
  EXPECT_EQ(seconds("0s"), 0);
  EXPECT_EQ(seconds("250ms"), 0.25);
  EXPECT_EQ(seconds("120"), 120);
}

TEST(KeepAlive, IsForEverWhereNegative) {
  EXPECT_EQ(seconds(-1), kForEver);
  EXPECT_EQ(seconds("-1"), kForEver);
  EXPECT_EQ(seconds("-1m"), kForEver);
  EXPECT_EQ(seconds(-0.001), kForEver);
}

TEST(KeepAlive, IsAbsentWhereNotGiven) { EXPECT_EQ(seconds(nullptr), std::nullopt); }

TEST(KeepAlive, NamesTheFieldWhereItIsNone) {
  for (const Json& bad : {Json("soon"), Json(""), Json("-"), Json("5x"), Json("m"), Json("1h-5m"),
                          Json("1..5s"), Json(true), Json::array(), Json("5m5")}) {
    try {
      seconds(bad);
      ADD_FAILURE() << bad;
    } catch (const RequestError& error) {
      EXPECT_EQ(error.field(), "keep_alive") << bad;
    }
  }
}

}  // namespace
}  // namespace pleiad::api
