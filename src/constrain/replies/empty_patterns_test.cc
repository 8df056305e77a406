// Patterns that no string has: an error where a value must have one, else a part without values.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kNever = R"( (no string has its "pattern"), so none is written)";

Result<std::shared_ptr<Grammar>> named_form_of(const char* schema) {
  return make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once, {}, "format");
}

bool may_begin(const std::shared_ptr<Grammar>& form, std::string_view text) {
  GrammarConstraint constraint(form);
  for (const char c : text) {
    const text::TokenId token =
        test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c));
    if (!constraint.allows(token)) return false;
    constraint.accept(token);
  }
  return true;
}

TEST(EmptyPatterns, AreAnErrorWhereTheValueMustHaveOne) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"({"pattern":"a^"})", "format.pattern"},
      {R"({"type":"string","pattern":"[]"})", "format.pattern"},
      {R"({"type":"string","minLength":2,"pattern":"\\bb\\b\\B"})", "format.pattern"},
      {R"({"type":"string","allOf":[{"minLength":1},{"pattern":"[]"}]})",
       "format.allOf[1].pattern"},
      {R"({"$ref":"#/$defs/s","$defs":{"s":{"type":"string","pattern":"[]"}}})",
       "format.$defs.s.pattern"},
      {R"({"properties":{"a":{"type":"string","pattern":"[]"}},"required":["a"]})",
       "format.properties.a.pattern"},
      {R"({"type":"array","minItems":1,"items":{"type":"string","pattern":"[]"}})",
       "format.items.pattern"},
      {R"({"enum":["a"],"pattern":"[]"})", "format.pattern"},
  };
  for (const auto& [schema, path] : cases) {
    EXPECT_EQ(named_form_of(schema).message(), path + std::string(": no string matches it"))
        << schema;
  }
  for (const char* schema :
       {R"({"type":["string","integer"],"pattern":"[]","minimum":2,"maximum":1})",
        R"({"anyOf":[{"pattern":"[]"},{"type":"integer","minimum":2,"maximum":1}]})",
        R"({"anyOf":[{"pattern":"[]"},{"pattern":"a^"}]})"}) {
    EXPECT_THAT(named_form_of(schema).message(),
                testing::StartsWith("format: no value can satisfy it"))
        << schema;
  }
}

TEST(EmptyPatterns, OptionalPartsWithOneAreNeverWritten) {
  struct Case {
    const char* schema;
    std::string note;
    const char* taken;
    const char* refused;
  };
  const std::string value = ": no value can satisfy it";
  for (const Case& one : {
           Case{R"({"properties":{"a":{"type":"string","pattern":"a^"},"b":{"type":"integer"}}})",
                "format.properties.a" + value + kNever, R"({"b":1})", R"({"a":"")"},
           Case{R"({"anyOf":[{"type":"integer"},{"type":"string","pattern":"[]"}]})",
                "format.anyOf[1]" + value + kNever, "1", "\""},
           Case{R"({"oneOf":[{"type":"integer"},{"type":"string","pattern":"[]"}]})",
                "format.oneOf[1]" + value + kNever, "1", "\""},
           Case{R"({"type":"string","oneOf":[true,{"pattern":"[]"}]})",
                "format.oneOf[1]" + value + kNever, "\"a\"", "1"},
           Case{R"({"type":["integer","string"],"pattern":"[]"})",
                std::string("format: no string can satisfy it") + kNever, "1", "\""},
           Case{R"({"type":"array","items":{"type":"string","pattern":"[]"}})",
                "format.items" + value + kNever, "[]", "[\""},
           Case{R"({"properties":{"a":{"$ref":"#/$defs/s"}},
                    "$defs":{"s":{"type":"string","pattern":"[]"}}})",
                "format.$defs.s" + value + kNever, "{}", R"({"a")"},
       }) {
    const auto form = named_form_of(one.schema);
    ASSERT_TRUE(form) << one.schema << form.message();
    EXPECT_THAT(form.value()->notes(), ElementsAre(one.note)) << one.schema;
    EXPECT_TRUE(takes(*form.value(), one.taken)) << one.schema;
    EXPECT_FALSE(may_begin(form.value(), one.refused)) << one.schema;
  }
}

TEST(EmptyPatterns, ExcludeNothingWhereTheyMustNotHold) {
  for (const char* schema :
       {R"({"not":{"type":"string","pattern":"[]"}})",
        R"({"type":["string","integer"],"not":{"type":"string","pattern":"a^"}})",
        R"({"type":["string","integer"],"if":{"type":"string","pattern":"[]"},"then":false})",
        R"({"enum":["a\n",1],"not":{"type":"string","pattern":"[]"}})"}) {
    const auto form = named_form_of(schema);
    ASSERT_TRUE(form) << schema << form.message();
    EXPECT_THAT(form.value()->notes(), IsEmpty()) << schema;
    EXPECT_TRUE(takes(*form.value(), "\"a\\n\"")) << schema;
    EXPECT_TRUE(takes(*form.value(), "1")) << schema;
  }
  // One spelling only where something is excluded.
  EXPECT_TRUE(
      takes(*named_form_of(R"({"type":"string","not":{"pattern":"[]"}})").value(), R"("\u0061")"));
}

TEST(EmptyPatterns, OfNamesAreOfNone) {
  const auto named = named_form_of(R"({"type":"object","patternProperties":{"[]":{"type":"string"}},
                                 "additionalProperties":{"type":"integer"}})");
  ASSERT_TRUE(named) << named.message();
  EXPECT_TRUE(takes(*named.value(), R"({"a":1})"));
  EXPECT_FALSE(may_begin(named.value(), R"({"a":")"));
  const auto none = named_form_of(R"({"type":"object","propertyNames":{"pattern":"[]"}})");
  ASSERT_TRUE(none) << none.message();
  EXPECT_TRUE(takes(*none.value(), "{}"));
  EXPECT_FALSE(may_begin(none.value(), R"({")"));
  // They take no place among the eight that are followed.
  const auto many = named_form_of(R"({"type":"object","patternProperties":{
      "[]":{},"a^":{},"^a":{"type":"integer"},"^b":{},"^c":{},"^d":{},"^e":{},"^f":{},"^g":{},"^h":{}}})");
  EXPECT_TRUE(many) << many.message();
}

TEST(EmptyPatterns, OfListedValuesRefuseStringsAlone) {
  const auto form = named_form_of(R"({"enum":["a",1],"pattern":"[]"})");
  ASSERT_TRUE(form) << form.message();
  EXPECT_TRUE(takes(*form.value(), "1"));
  EXPECT_FALSE(may_begin(form.value(), "\"a"));
}

// A tool's argument that cannot be is told, and what else is asked of it holds.
TEST(EmptyPatterns, OfAnArgumentThatMustBeAreLeftOut) {
  const Json tools = json_from(R"([{"function":{"name":"f","parameters":{"type":"object",
      "properties":{"a":{"type":"string","pattern":"[]","maxLength":2}},"required":["a"]}}}])");
  const auto made = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(made) << made.message();
  const auto& notes = made.value()->unenforced();
  EXPECT_THAT(notes, ElementsAre("tools[0].function.parameters.properties.a.pattern: no string "
                                 "matches it; it is left out, and the rest holds"));
  EXPECT_TRUE(is_beyond_help(notes, "tools[0].function.parameters"));
}

}  // namespace
}  // namespace pleiad::constrain
