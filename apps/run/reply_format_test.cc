#include "apps/run/reply_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;

TEST(ReplyFormat, IsAWordASchemaOrItsFile) {
  EXPECT_EQ(read_reply_format("json", ""), Json("json"));
  EXPECT_TRUE(read_reply_format("none", "").is_null());
  EXPECT_EQ(read_reply_format(R"({"type": "object"})", ""), Json({{"type", "object"}}));
  const auto path = std::filesystem::temp_directory_path() /
                    ("pleiad_format_" + std::to_string(::getpid()) + ".json");
  std::ofstream(path) << R"({"type": "array"})";
  EXPECT_EQ(read_reply_format(path.string(), ""), Json({{"type", "array"}}));
  EXPECT_EQ(read_reply_format("~/" + path.filename().string(), path.parent_path()),
            Json({{"type", "array"}}));
  std::ofstream(path) << "[1]";
  try {
    read_reply_format(path.string(), "");
    ADD_FAILURE() << "a list is no schema";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    EXPECT_THAT(error.what(), HasSubstr("found array"));
  }
  std::filesystem::remove(path);
}

TEST(ReplyFormat, WhatIsWrongIsSaid) {
  for (const char* what : {"", "/nowhere/schema.json", "{\"type\":"}) {
    EXPECT_THROW(read_reply_format(what, ""), Error) << what;
  }
}

}  // namespace
}  // namespace pleiad::apps
