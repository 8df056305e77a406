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

TEST(ReplyFormat, IsAGrammar) {
  const Json digits = read_reply_format("regex:[0-9]+", "");
  EXPECT_EQ(digits.at("type"), "grammar");
  EXPECT_EQ(digits.at("syntax"), "regex");
  EXPECT_EQ(digits.at("definition"), "[0-9]+");
  EXPECT_EQ(reply_format_text(digits), "as a grammar says");
  EXPECT_TRUE(is_reply_format(digits));
  const auto path = std::filesystem::temp_directory_path() /
                    ("pleiad_format_" + std::to_string(::getpid()) + ".gbnf");
  std::ofstream(path) << "root ::= \"yes\" | \"no\"\n";
  for (const std::string& what : {path.string(), "gbnf:" + path.string()}) {
    const Json grammar = read_reply_format(what, "");
    EXPECT_EQ(grammar.at("syntax"), "gbnf") << what;
    EXPECT_EQ(grammar.at("definition"), "root ::= \"yes\" | \"no\"\n") << what;
  }
  std::ofstream(path) << "root ::= yes";
  try {
    read_reply_format(path.string(), "");
    ADD_FAILURE() << "it names no rule";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path.string() + ": line 1, column 10: there is no rule \"yes\"");
  }
  std::filesystem::remove(path);
  EXPECT_THROW(read_reply_format("regex:(", ""), Error);
  EXPECT_THROW(read_reply_format("regex:", ""), Error) << "an empty reply is nobody's wish";
  EXPECT_THROW(read_reply_format("/nowhere/x.gbnf", ""), Error);
}

TEST(ReplyFormat, WhatIsWrongIsSaid) {
  for (const char* what : {"", "/nowhere/schema.json", "{\"type\":"}) {
    EXPECT_THROW(read_reply_format(what, ""), Error) << what;
  }
}

}  // namespace
}  // namespace pleiad::apps
