#include "formats/bounded_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;

std::string json_error(const std::string& text) {
  try {
    (void)parse_bounded_json(text, "f.json");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(BoundedJson, ParsesAnOrdinaryFile) {
  EXPECT_EQ(parse_bounded_json(R"({"a":[1,{"b":null}]})", "f").at("a")[0], 1);
}

TEST(BoundedJson, LimitsTheDepth) {
  EXPECT_EQ(json_error(nested(32)), "no error");
  EXPECT_EQ(json_error(nested(40)), "f.json: JSON is nested more than 32 levels deep");
  EXPECT_THAT(json_error(nested(1'000'000)), HasSubstr("levels deep"));
  EXPECT_THAT(json_error("{\"a\":" + nested(100'000) + ",\"b\":1}"), HasSubstr("levels deep"));
}

TEST(BoundedJson, SaysWhereItIsNotValid) {
  EXPECT_THAT(json_error("{\"a\":"), HasSubstr("f.json: not valid JSON: parse error at line 1"));
  EXPECT_THAT(json_error(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(json_error("\"\xff\""), HasSubstr("not valid JSON"));
  EXPECT_THAT(json_error("1 2"), HasSubstr("not valid JSON"));
}

TEST(BoundedJson, ManyKeysAreNoProblem) {
  std::string text = "{\"x\":0";
  for (int i = 0; i < 100'000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  EXPECT_EQ(parse_bounded_json(text + "}", "f").size(), 100'001U);
}

}  // namespace
}  // namespace pleiad
