#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/testing/json.h"

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

TEST(ParseJson, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_EQ(error_of("[1e308, -1e308, 1e-999]"), "no error");
  EXPECT_THAT(error_of(R"({"a": [1e999]})"),
              HasSubstr("the input: JSON with a number that no double holds: 1e999, at a[0]"));
  EXPECT_THAT(error_of("1" + std::string(400, '0')), HasSubstr("no double holds: 1000"));
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

std::string list_of(std::size_t n, const std::string& element) {
  std::string text = "[";
  for (std::size_t i = 0; i < n; ++i) text += (i == 0 ? "" : ",") + element;
  return text + "]";
}

/// `n` keys of which each is met `times` times: "k0", "k1", ..., "k0", ...
std::string object_of(std::size_t n, std::size_t times = 1) {
  std::string text = "{";
  for (std::size_t i = 0; i < n * times; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i % n) + "\":" + std::to_string(i);
  }
  return text + "}";
}

std::string limit_error(const std::string& text, const JsonLimits& limits) {
  const Result<Json> json = read_json(text, limits);
  return json ? "no error" : json.message();
}

// Whoever looks at what is there again for each element, or at the keys again for each key, takes
// minutes for these.
TEST(ParseJson, TakesManyObjectsAndManyKeys) {
  EXPECT_EQ(json_from(list_of(500'000, "{}")).size(), 500'000U);
  EXPECT_EQ(json_from(list_of(200'000, R"({"a":[{}]})")).size(), 200'000U);
  const Json object = json_from(object_of(300'000));
  EXPECT_EQ(object.size(), 300'000U);
  EXPECT_EQ(object.back(), 299'999);
}

TEST(ParseJson, TakesTheLastOfRepeatedKeysInTheFirstOnesPlace) {
  EXPECT_EQ(to_text(json_from(R"({"a":1,"b":{"c":2},"a":{"d":3},"b":[]})")),
            R"({"a":{"d":3},"b":[]})");
  for (const std::size_t n : {1U, 2U, 8U, 10U, 15U, 16U, 17U, 18U, 100U}) {
    for (const std::size_t times : {2U, 3U, 9U}) {
      const Json object = json_from(object_of(n, times));
      ASSERT_EQ(object.size(), n) << times;
      std::size_t i = 0;
      for (const auto& [key, value] : object.items()) {
        EXPECT_EQ(key, "k" + std::to_string(i));
        EXPECT_EQ(value, (times - 1) * n + i++);
      }
    }
  }
  EXPECT_EQ(
      to_text(json_from("{\"" + std::string(40, 'a') + "\":1,\"" + std::string(40, 'a') + "\":2}")),
      "{\"" + std::string(40, 'a') + "\":2}");
}

// Up to sixteen keys are looked at one by one, more of them all at once.
TEST(ParseJson, FindsTheOneKeyThatIsRepeatedAmongAnyNumber) {
  for (std::size_t n = 1; n <= 40; ++n) {
    std::string text = object_of(n);
    text.back() = ',';
    const Json object = json_from(text + R"("k0":"last"})");
    ASSERT_EQ(object.size(), n) << n + 1 << " keys";
    EXPECT_EQ(object.front(), "last") << n + 1 << " keys";
  }
}

TEST(ReadJson, StopsAtTheFirstValueBeyondALimitAndSaysWhere) {
  const JsonLimits three_levels = {.depth = 3};
  EXPECT_EQ(limit_error(R"({"a":[0,{}]})", three_levels), "no error");
  EXPECT_EQ(limit_error(R"({"a":[0,{"b":[]}]})", three_levels),
            "JSON nested more than 3 levels deep, at a[1].b");
  EXPECT_EQ(limit_error("[[],[[[", three_levels),
            "JSON nested more than 3 levels deep, at [1][0][0]");
  EXPECT_EQ(limit_error("[", {.depth = 0}), "JSON nested more than 0 levels deep");

  const JsonLimits four_values = {.values = 4};
  EXPECT_EQ(limit_error(R"({"a":[1,2]})", four_values), "no error");
  EXPECT_EQ(limit_error(R"({"a":[1,2,3 and not even JSON)", four_values),
            "JSON with more than 4 values, at a[2]");

  const JsonLimits two_keys = {.keys_per_object = 2};
  EXPECT_EQ(limit_error(R"([{"a":1,"b":1},{"a":{"a":1}}])", two_keys), "no error");
  EXPECT_EQ(limit_error(R"([1,{"a":1,"a":1,"a":)", two_keys),
            "JSON with more than 2 keys in an object, at [1]");
  EXPECT_EQ(limit_error(R"({"a":1,"b":1,"c")", two_keys),
            "JSON with more than 2 keys in an object");

  const JsonLimits two_comparisons = {.key_comparisons = 2};
  EXPECT_EQ(limit_error(R"({"a":{"b":1,"c":2},"d":3})", two_comparisons), "no error");
  EXPECT_EQ(limit_error(R"([{"a":1,"b":1,"c":1}])", two_comparisons),
            "JSON with too many large objects: to look up all keys takes more than 2 comparisons, "
            "at [0]");
}

TEST(ReadJson, CountsTheMemoryOfValuesHoweverShortTheyAre) {
  const JsonLimits limits = {.memory_bytes = 100'000};
  for (const char* element : {"{}", "[]", "\"\"", "0", "{\"\":0}", "[[[[0]]]]"}) {
    EXPECT_THAT(limit_error(list_of(100'000, element), limits),
                HasSubstr("JSON whose values take more than 100,000 bytes of memory, at ["));
    EXPECT_EQ(limit_error(list_of(100, element), limits), "no error");
  }
  const std::string text(50'000, 'a');
  EXPECT_EQ(limit_error("[\"" + text + "\"]", limits), "no error");
  EXPECT_THAT(limit_error("[\"" + text + "\",\"" + text + "\"]", limits), HasSubstr("at [1]"));
  EXPECT_THAT(limit_error("{\"" + text + "\":1,\"b" + text + "\":1}", limits),
              HasSubstr("at b" + std::string(30, 'a')));
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
  EXPECT_FALSE(json_or_discarded(std::string(512, '[') + std::string(512, ']')).is_discarded());
  EXPECT_TRUE(json_or_discarded(std::string(513, '[') + std::string(513, ']')).is_discarded());
}

}  // namespace
}  // namespace pleiad
