#include "constrain/schema_merge.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/json.h"
#include "base/testing/sanitizers.h"

namespace pleiad::constrain {
namespace {

std::string merged(const char* left, const char* right) {
  const Result<Json> both = merge_schemas(json_from(left), json_from(right));
  return both ? to_text(both.value()) : both.message();
}

TEST(SchemaMerge, KeepsWhatBothAllow) {
  EXPECT_EQ(merged(R"({"enum":[3,"a",[1],{"b":1},"a"]})", R"({"enum":[{"b":1},"a",[1,2],3.0]})"),
            R"({"enum":[3,"a",{"b":1},"a"]})");
  EXPECT_EQ(
      merged(R"({"type":["number","null","string","null"]})", R"({"type":["null","integer"]})"),
      R"({"type":["integer","null"]})");
  EXPECT_EQ(merged(R"({"type":["integer","object"]})", R"({"type":"number"})"),
            R"({"type":["integer"]})");
}

TEST(SchemaMerge, KeepsWhatEitherAsksFor) {
  EXPECT_EQ(merged(R"({"required":["b","a"]})", R"({"required":["c","a","c"]})"),
            R"({"required":["b","a","c"]})");
  EXPECT_EQ(merged(R"({"properties":{"a":{"type":"null"},"b":true}})",
                   R"({"properties":{"c":{},"b":false},"additionalProperties":{"type":"string"}})"),
            R"({"properties":{"a":{"allOf":[{"type":"null"},{"type":"string"}]},"b":false,"c":{}},)"
            R"("additionalProperties":{"type":"string"}})");
}

// Whoever looks through the one list for each element of the other takes minutes.
TEST(SchemaMerge, TakesLongLists) {
  constexpr std::size_t n = unless_sanitized(100'000, 10'000);
  const auto list = [](const std::string& keyword, char letter) {
    Json names = Json::array();
    for (std::size_t i = 0; i < n; ++i) names.push_back(letter + std::to_string(i));
    return Json{{keyword, names}};
  };
  EXPECT_TRUE(merge_schemas(list("enum", 'a'), list("enum", 'b')).value()["enum"].empty());
  EXPECT_TRUE(merge_schemas(list("type", 'a'), list("type", 'b')).value()["type"].empty());
  EXPECT_EQ(merge_schemas(list("required", 'a'), list("required", 'b')).value()["required"].size(),
            2 * n);
  Json left = Json::object();
  Json right = Json::object();
  for (std::size_t i = 0; i < n; ++i) {
    append_member(left, "a" + std::to_string(i), true);
    append_member(right, "b" + std::to_string(i), true);
  }
  EXPECT_EQ(
      merge_schemas({{"properties", left}}, {{"properties", right}}).value()["properties"].size(),
      2 * n);
}

}  // namespace
}  // namespace pleiad::constrain
