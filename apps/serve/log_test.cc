#include "apps/serve/log.h"

#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

TEST(LogTest, WritesFieldsThatNobodyCanForge) {
  EXPECT_EQ(format_fields("info", "request", {{"path", "/api/tags"}, {"status", 200}, {"ms", 1.5}}),
            "level=info msg=\"request\" path=/api/tags status=200 ms=1.5");
  EXPECT_EQ(format_fields("info", "x", {{"path", "/a b\nlevel=error"}, {"empty", ""}}),
            "level=info msg=\"x\" path=\"/a b\\nlevel=error\" empty=\"\"");
  EXPECT_EQ(format_fields("info", "x", {{"bytes", "\xff"}}).find('\xff'), std::string::npos);
}

TEST(LogTest, KeepsToItsLevel) {
  const Log log("warn", false);
  EXPECT_FALSE(log.writes(Log::Level::info));
  EXPECT_TRUE(log.writes(Log::Level::warn));
  EXPECT_TRUE(log.writes(Log::Level::error));
}

}  // namespace
}  // namespace pleiad::apps
