#include "api/common/request_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/request_error.h"
#include "api/common/testing/request_problem.h"

namespace pleiad::api {
namespace {

using ::testing::HasSubstr;

std::string body_problem(const std::string& body, const JsonLimits& limits = {}) {
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
  EXPECT_THAT(body_problem(R"({"a": 1, "b": 1, "c": 1})", limits), HasSubstr("more than 2 keys"));
  limits = {};
  limits.key_comparisons = 2;
  EXPECT_EQ(body_problem(R"({"a": {"b": 1, "c": 2}, "d": 3})", limits), "no problem");
  EXPECT_THAT(body_problem(R"({"a": 1, "b": 1, "c": 1})", limits),
              HasSubstr("too many large objects"));
}

TEST(RequestJson, TextForClientsIsValidUtf8) {
  EXPECT_EQ(to_text(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace pleiad::api
