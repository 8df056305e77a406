#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    (void)parse_json(text, "the input");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseJson, KeepsTheOrderOfKeys) {
  EXPECT_EQ(parse_json(R"({"b":1,"a":[2,"[[["]})", "x").dump(), R"({"b":1,"a":[2,"[[["]})");
}

TEST(ParseJson, NamesTheSourceAndThePlace) {
  EXPECT_THAT(error_of("{\n  \"a\": }"), HasSubstr("the input: not JSON: parse error at line 2"));
  EXPECT_THAT(error_of(""), HasSubstr("the input: not JSON"));
  EXPECT_THAT(error_of("\"\xff\""), HasSubstr("the input: not JSON"));
}

TEST(ParseJson, RefusesDeepNestingAtAnyLength) {
  EXPECT_EQ(error_of(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_THAT(error_of(std::string(65, '[') + std::string(65, ']')), HasSubstr("nested"));
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), HasSubstr("nested"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(error_of(objects), HasSubstr("nested"));
  EXPECT_THAT(error_of(R"("\"[[[)"), HasSubstr("not JSON"));
}

TEST(ToText, ReplacesWhatIsNotUtf8AndExactTextRefusesIt) {
  const Json broken = {{"name", "a\xff"}};
  EXPECT_EQ(to_text(broken), "{\"name\":\"a\xEF\xBF\xBD\"}");
  EXPECT_EQ(exact_text({{"name", "ä"}}, "the name"), R"({"name":"ä"})");
  try {
    (void)exact_text(broken, "the name");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the name is not valid UTF-8, and cannot be written down");
  }
}

TEST(JsonOrDiscarded, IsDiscardedWhereTheTextIsNoJson) {
  EXPECT_TRUE(json_or_discarded("{").is_discarded());
  EXPECT_EQ(json_or_discarded("[1]"), Json::array({1}));
  EXPECT_FALSE(json_or_discarded(std::string(100, '[') + std::string(100, ']')).is_discarded());
}

}  // namespace
}  // namespace pleiad
