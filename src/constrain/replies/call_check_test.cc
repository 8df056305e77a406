#include "constrain/replies/call_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/json.h"

namespace pleiad::constrain {
namespace {

struct Offered {
  Json tools;
  std::vector<std::string> paths;
};

Offered with_tool(Json schema) {
  Offered request;
  request.tools = json_from(R"([{"function": {"name": "f"}}, {"function": {"name": "g"}}])");
  request.tools[1]["function"]["parameters"] = std::move(schema);
  return request;
}

std::string problem(const Offered& request, const char* name, const char* arguments) {
  text::ReplyEvent call;
  call.kind = text::ReplyEvent::Kind::tool_call;
  call.name = name;
  call.arguments = json_from(arguments);
  const auto found = call_problem(request.tools, request.paths, call);
  return found ? found->message : "";
}

TEST(CallCheck, WhatIsNotEnforcedIsFoundInTheWholeCall) {
  Offered request =
      with_tool(json_from(R"({"type": "object", "properties": {"tags": {"$ref": "#/$defs/set"}},
                    "$defs": {"set": {"type": "array", "uniqueItems": true}}})"));
  EXPECT_EQ("", problem(request, "g", R"({"tags": ["a", "b"]})"));
  EXPECT_EQ("", problem(request, "g", R"({"other": 1})"));
  EXPECT_EQ(problem(request, "g", R"({"tags": ["a", "a"]})"),
            "tools[1].function.parameters: the arguments of a call are not valid under it: "
            R"({"tags":["a","a"]})");
  request.paths = {"tools[0].input_schema", "tools[4].input_schema"};
  EXPECT_TRUE(problem(request, "g", R"({"tags": [1, 1]})").starts_with("tools[4].input_schema: "));
  EXPECT_EQ("", problem(request, "f", R"({"tags": [1, 1]})")) << "it has no schema";
  EXPECT_EQ("", problem(request, "h", R"({"tags": [1, 1]})")) << "there is none";
}

TEST(CallCheck, WhatIsNoSchemaStopsNothing) {
  for (const char* schema :
       {"7", "[]", R"({"required": 7, "properties": 3})", R"({"anyOf": 1, "items": {"a": 1}})",
        R"({"properties": {"tags": {"prefixItems": 1, "contains": [], "dependentRequired": 1}}})",
        R"({"$ref": "#/nowhere"})", R"({"$ref": 1})", R"({"patternProperties": {"(": {}}})",
        R"({"patternProperties": 1, "additionalProperties": 1, "propertyNames": 1})"}) {
    EXPECT_EQ("", problem(with_tool(json_from(schema)), "g", R"({"tags": [1, 1], "b": {}})"))
        << schema;
  }
}

TEST(CallCheck, WhatIsTooMuchWorkCountsAsValid) {
  Json deep = json_from(R"({"$defs": {"n": {"anyOf": [{"allOf": [{"$ref": "#/$defs/n"}]},
                                                       {"allOf": [{"$ref": "#/$defs/n"}]}]}},
                            "$ref": "#/$defs/n"})");
  EXPECT_EQ("", problem(with_tool(deep), "g", "{}"));
}

TEST(CallCheck, ManyItemsAreComparedAll) {
  const Json request = json_from(R"({"properties": {"tags": {"uniqueItems": true}}})");
  std::string many = "{\"tags\":[0";
  for (int i = 1; i < 5'000; ++i) many += "," + std::to_string(i);
  EXPECT_EQ("", problem(with_tool(request), "g", (many + "]}").c_str()));
  EXPECT_NE("", problem(with_tool(request), "g", (many + ",0]}").c_str()));
}

}  // namespace
}  // namespace pleiad::constrain
