#include "api/common/request_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/request_error.h"
#include "api/common/testing/request_problem.h"

namespace pleiad::api {
namespace {

using ::testing::HasSubstr;

std::string body_problem(const std::string& body, const JsonLimits& limits = kRequestLimits) {
  return problem_of([&] { (void)parse_request(body, limits); });
}

TEST(RequestJson, IsAnObject) {
  EXPECT_EQ(to_text(parse_request(R"({"b": 1, "a": [2]})")), R"({"b":1,"a":[2]})");
  EXPECT_EQ(body_problem("[1]"), "expected a JSON object, found a list of 1");
  EXPECT_EQ(body_problem("null"), "expected a JSON object, found null");
}

TEST(RequestJson, SaysWhatIsWrong) {
  EXPECT_EQ(body_problem(""), "missing request body");
  EXPECT_THAT(body_problem("{\"a\": "), HasSubstr("the body is not JSON: parse error at line 1"));
  EXPECT_THAT(body_problem("{\"a\": \"\xff\"}"), HasSubstr("not JSON"));
  EXPECT_THAT(body_problem("{} {}"), HasSubstr("not JSON"));
}

TEST(RequestJson, IsNoDeeperThanAllowed) {
  const auto nested = [](int levels) {
    return R"({"a":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_EQ(body_problem(nested(63)), "no problem");
  EXPECT_THAT(body_problem(nested(64)), HasSubstr("more than 64 levels"));
  EXPECT_THAT(body_problem(nested(1'000'000)), HasSubstr("more than 64 levels"));
}

TEST(RequestJson, HasBoundedValuesAndKeys) {
  JsonLimits limits;
  limits.values = 4;
  EXPECT_EQ(body_problem(R"({"a": [1, 2]})", limits), "no problem");
  EXPECT_THAT(body_problem(R"({"a": [1, 2, 3]})", limits), HasSubstr("more than 4 values"));
  limits = {};
  limits.keys_per_object = 2;
  EXPECT_EQ(body_problem(R"({"a": {"b": 1, "c": 2}, "d": 3})", limits), "no problem");
  EXPECT_EQ(body_problem(R"({"a": {"b": 1, "c": 1, "d": 1}})", limits),
            "the body is JSON with more than 2 keys in an object, at a");
}

// As long as this takes a moment, bodies are read in proportion to their length: a list that is
// looked at again after each object in it takes minutes.
TEST(RequestJson, TakesWhatFitsIntoTheLimitsAndRefusesTheRest) {
  const auto objects = [](std::size_t n) {
    std::string body = R"({"x":[{})";
    for (std::size_t i = 1; i < n; ++i) body += ",{}";
    return body + "]}";
  };
  EXPECT_EQ(parse_request(objects(1'000'000))["x"].size(), 1'000'000U);
  EXPECT_THAT(body_problem(objects(4'600'000)),
              HasSubstr("the body is JSON whose values take more than 128,000,000 bytes of memory, "
                        "at x[1"));
  std::string numbers = R"({"x":[0)";
  for (int i = 1; i < 2'000'000; ++i) numbers += ",0";
  EXPECT_EQ(body_problem(numbers + "]}"),
            "the body is JSON with more than 2,000,000 values, at x[1999998]");
}

TEST(RequestJson, TextForClientsIsValidUtf8) {
  EXPECT_EQ(to_text(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace pleiad::api
