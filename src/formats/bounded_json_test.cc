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
  EXPECT_THAT(json_error(nested(33)),
              HasSubstr("f.json: JSON nested more than 32 levels deep, at [0][0]"));
  EXPECT_THAT(json_error(nested(1'000'000)), HasSubstr("levels deep"));
  EXPECT_THAT(json_error("{\"a\":" + nested(100'000) + ",\"b\":1}"), HasSubstr("levels deep"));
}

TEST(BoundedJson, SaysWhereItIsNotValid) {
  EXPECT_THAT(json_error("{\"a\":"), HasSubstr("f.json: not JSON: parse error at line 1"));
  EXPECT_THAT(json_error(""), HasSubstr("not JSON"));
  EXPECT_THAT(json_error("\"\xff\""), HasSubstr("not JSON"));
  EXPECT_THAT(json_error("1 2"), HasSubstr("not JSON"));
}

TEST(BoundedJson, ManyKeysAreNoProblem) {
  std::string text = "{\"x\":0";
  for (int i = 0; i < 100'000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  EXPECT_EQ(parse_bounded_json(text + "}", "f").size(), 100'001U);
}

// A list that is looked at again after each object in it takes a quarter of an hour.
TEST(BoundedJson, ManyObjectsInAListAreNoProblem) {
  std::string text = "[{}";
  for (int i = 1; i < 1'000'000; ++i) text += ",{}";
  EXPECT_EQ(parse_bounded_json(text + "]", "f").size(), 1'000'000U);
}

TEST(BoundedJson, TakesTheLastOfRepeatedKeys) {
  EXPECT_EQ(parse_bounded_json(R"({"a":{"b":1},"a":{"c":2}})", "f").dump(), R"({"a":{"c":2}})");
}

TEST(BoundedJson, LimitsTheNumberOfValues) {
  std::string text = "{\"a\":[0";
  for (int i = 1; i < 4'000'000; ++i) text += ",0";
  EXPECT_EQ(json_error(text), "f.json: JSON with more than 4,000,000 values, at a[3999998]");
}

}  // namespace
}  // namespace pleiad
