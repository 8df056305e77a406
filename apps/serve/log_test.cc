#include "apps/serve/log.h"

#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

TEST(LogTest, WritesFieldsThatNobodyCanForge) {
  EXPECT_EQ(format_fields("info", "request", {{"path", "/api/tags"}, {"status", 200}, {"ms", 1.5}}),
            "level=info msg=\"request\" path=/api/tags status=200 ms=1.5");
  EXPECT_EQ(format_fields("info", "x", {{"path", "/a b\nlevel=error"}, {"empty", ""}}),
            "level=info msg=\"x\" path=\"/a b\\nlevel=error\" empty=\"\"");
  EXPECT_EQ(format_fields("info", "\x1b]0;x\x07",
                          {{"model",
                            "a\xC2\x9B\xE2\x80\xAE"
                            "b\x7f"}}),
            "level=info msg=\"\\u001b]0;x\\u0007\" model=\"a\\u009b\\u202eb\\u007f\"");
  EXPECT_EQ(format_fields("info", "x", {{"prompt", Json{{"\xE2\x80\xA8", "\x1b"}}}}),
            "level=info msg=\"x\" prompt={\"\\u2028\":\"\\u001b\"}");
  EXPECT_EQ(format_fields("info", "x", {{"model", "caf\xC3\xA9"}}),
            "level=info msg=\"x\" model=caf\xC3\xA9");
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
