// What schemas made to be dear cost: bytes that are allocated while they are worked out, and steps
// that are charged for what is looked at.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/satisfiable.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/schema/compiler.h"
#include "constrain/testing/allocated_bytes.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

struct Cost {
  std::string failure;
  std::size_t bytes = 0;
  std::size_t steps = 0;
  std::size_t n_states = 0;
};

/// For what is refused because it takes more, however much there is.
constexpr std::size_t kFewSteps = 300'000;

Cost cost_of(const Json& schema, std::size_t steps = SchemaBudget::kSteps) {
  Cost cost;
  SchemaBudget budget(steps);
  const std::size_t before = allocated_bytes();
  Automaton automaton;
  ValueWriter writer(automaton, Syntax::json);
  SchemaCompiler compiler(writer, schema, "format", {}, budget);
  const Result<Rule> rule = compiler.compile();
  if (!rule) cost.failure = rule.message();
  cost.bytes = allocated_bytes() - before;
  cost.steps = budget.spent();
  cost.n_states = automaton.n_states();
  return cost;
}

std::string repeated(const std::string& part, int n) {
  std::string out = part;
  for (int i = 1; i < n; ++i) out += "," + part;
  return out;
}

Json names(const char* prefix, int n, const Json& schema = Json::object()) {
  Json out = Json::object();
  for (int i = 0; i < n; ++i) append_member(out, prefix + std::to_string(i), schema);
  return out;
}

/// Goes through all that is asked of a schema, with so many steps.
void go_through(const Json& schema, std::size_t steps) {
  SchemaBudget budget(steps);
  WantedValues wanted;
  wanted.where = "format";
  (void)impossible_part(schema, wanted, budget);
  SchemaBudget others(steps);
  Json left = schema;
  std::vector<std::string> told;
  (void)make_satisfiable(left, wanted, others, 4, told);
}

// Whatever it ends amid, what was worked out so far is taken for what it is.
TEST(SchemaCost, ABudgetMayEndAnywhere) {
  for (
      const char* text :
      {R"({"oneOf":[{"required":["a"]},{"required":["b"]},{"properties":{"c":{"type":"null"}}}]})",
       R"({"not":{"properties":{"a":{"enum":[1,2]},"b":{"minLength":2}},"required":["a"]}})",
       R"({"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"not":
           {"required":["c"]}},"properties":{"a":{},"b":{},"c":{}},"additionalProperties":false})",
       R"({"anyOf":[{"not":{"type":["object","string"]}},{"oneOf":[{"minimum":3},{"maximum":5}]}],
           "allOf":[{"not":{"const":4}},{"anyOf":[{"multipleOf":2},{"multipleOf":3}]}]})",
       R"({"if":{"type":["string","boolean"]},"else":{"maxItems":3,"items":{"items":{"maxItems":1}},
           "oneOf":[{"type":"object","properties":{"b":{"enum":[0.75,true],"minimum":1},"a":
           {"pattern":"b"}},"dependencies":{"a":{"type":"number","minimum":-3,"maximum":1}}},
           {"maxItems":3,"items":{"type":"boolean"}},{"type":"object","required":["b"],
           "patternProperties":{"^a":{"maximum":4}}}]}})",
       R"({"const":["B",1],"oneOf":[{"not":{"type":"object","properties":{"a":{"enum":[0,"a",6.5,
           true,["b",4]]},"ab":{"type":"number","exclusiveMaximum":1.75,"multipleOf":1.5}},
           "minProperties":3,"dependencies":{"c":{"const":{"a":"-","d":5.5}}}}},{"type":"integer",
           "minimum":1,"maximum":11,"multipleOf":0.1},true]})",
       R"({"required":["a name that is long enough to cost more than a step"],"properties":{}})",
       R"({"patternProperties":{"^a":{"type":"integer"},"b$":{"minimum":3}},"minProperties":2,
           "propertyNames":{"maxLength":4},"dependentRequired":{"a":["b"]}})",
       R"({"type":"array","contains":{"type":"integer"},"minContains":2,"maxContains":3,"items":
           {"anyOf":[{"type":"integer"},{"type":"null"}]},"uniqueItems":true})",
       R"({"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[{"type":"null"},{"properties":{"next":
           {"$ref":"#/$defs/n"}},"required":["next"],"unevaluatedProperties":false}]}}})",
       R"({"type":"string","pattern":"^a+$","not":{"pattern":"aaa"},"enum":["a","aa","aaa"]})",
       R"({"allOf":[{"oneOf":[{"required":["a"]},{"required":["b"]}]},{"oneOf":[
           {"required":["c"]},{"required":["d"]}]},{"not":{"required":["a","c"]}}]})"}) {
    SCOPED_TRACE(text);
    const Json schema = json_from(text);
    const std::size_t most = cost_of(schema).steps;
    const std::size_t by = 1 + most / 600;
    for (std::size_t steps = 0; steps <= most; steps += by) {
      ASSERT_NO_THROW(go_through(schema, steps)) << steps;
    }
  }
}

TEST(SchemaCost, AnAddressIsKeptOnce) {
  Json schema = {{"x", {{"$id", std::string(60'000, 'a')}, {"x", Json::array()}}}};
  for (int i = 0; i < 20'000; ++i) schema["x"]["x"].push_back(Json::object());
  Cost cost = cost_of(schema);
  EXPECT_LT(cost.bytes, 20 * kMegabyte);
  EXPECT_THAT(cost.failure, testing::StartsWith("format.x.$id: it is too long"));
  schema["x"]["$id"] = std::string(2000, 'a') + "/";
  for (Json& part : schema["x"]["x"]) part["$ref"] = "#";
  cost = cost_of(schema);
  EXPECT_LT(cost.bytes, 20 * kMegabyte);
  EXPECT_EQ(cost.failure, "");
  // Short ones below a long one.
  for (Json& part : schema["x"]["x"]) part = {{"$id", "b"}};
  cost = cost_of(schema);
  EXPECT_LT(cost.bytes, 20 * kMegabyte);
  EXPECT_THAT(cost.failure, testing::HasSubstr("$id: it is too long"));
}

TEST(SchemaCost, EqualAlternativesAreWrittenOnce) {
  const Cost once = cost_of(json_from(R"({"type":"integer","multipleOf":1009,"minimum":1})"));
  const Cost often =
      cost_of(json_from(R"({"type":"integer","multipleOf":1009,"minimum":1,"anyOf":[)" +
                        repeated("{}", 2000) + "]}"));
  EXPECT_EQ(often.failure, "");
  EXPECT_EQ(often.n_states, once.n_states);
  EXPECT_LT(often.bytes, once.bytes + 20 * kMegabyte);
  Json word = {{"enum", Json::array({std::string(60'000, 'x')})}};
  for (int i = 0; i < 100; ++i) word["anyOf"].push_back({{"minLength", i}});
  const Cost long_words = cost_of(word, kFewSteps);
  EXPECT_THAT(long_words.failure, testing::HasSubstr("too large"));
  EXPECT_LT(long_words.bytes, 100 * kMegabyte);
}

TEST(SchemaCost, WhatIsMadeForAnAlternativeIsPaid) {
  Json schema = {{"type", "integer"}, {"multipleOf", 1009}};
  for (int i = 0; i < 2000; ++i) schema["anyOf"].push_back({{"minimum", i}});
  const Cost numbers = cost_of(schema, kFewSteps);
  EXPECT_THAT(numbers.failure, testing::HasSubstr("too large"));
  EXPECT_LT(numbers.bytes, 250 * kMegabyte);
  Json texts = {{"type", "string"}, {"pattern", "b[ac]*$"}};
  for (int i = 0; i < 2000; ++i) texts["anyOf"].push_back({{"minLength", 100 + i}});
  const Cost patterns = cost_of(texts, kFewSteps);
  EXPECT_THAT(patterns.failure, testing::HasSubstr("too large"));
  EXPECT_LT(patterns.bytes, 250 * kMegabyte);
  Json many = {{"type", "number"}, {"not", {{"enum", Json::array()}}}};
  for (int i = 0; i < 5000; ++i) many["not"]["enum"].push_back(i * 7919);
  const Cost denied = cost_of(many, kFewSteps);
  EXPECT_THAT(denied.failure, testing::HasSubstr("too large"));
  EXPECT_LT(denied.bytes, 250 * kMegabyte);
}

TEST(SchemaCost, ALongWayOfReferencesIsNoDeepOne) {
  for (const char* other : {"", R"({"type":"integer"},)"}) {
    std::string parts;
    constexpr int kSteps = 6000;
    for (int i = 1; i <= kSteps; ++i) {
      parts +=
          std::string(R"({"anyOf":[)") + other + R"({"$ref":"#/d/)" + std::to_string(i) + "\"}]},";
    }
    std::string properties;
    for (int i = kSteps - 200; i >= 0; i -= 200) {
      const std::string number = std::to_string(i);
      properties +=
          (properties.empty() ? "\"p" : ",\"p") + number + R"(":{"$ref":"#/d/)" + number + "\"}";
    }
    const Cost cost = cost_of(
        json_from("{\"properties\":{" + properties + "},\"d\":[" + parts + R"({"type":"null"}]})"));
    EXPECT_THAT(cost.failure, testing::AnyOf("", testing::HasSubstr("too large"))) << other;
    EXPECT_GT(cost.n_states, 10U) << other;
    EXPECT_LT(cost.bytes, 300 * kMegabyte) << other;
  }
}

TEST(SchemaCost, ManyPartsBesideManyAlternatives) {
  const Cost cost = cost_of(json_from("{\"allOf\":[" + repeated("{}", 20'000) + "],\"anyOf\":[" +
                                      repeated("false", 2500) + ",{}]}"));
  EXPECT_EQ(cost.failure, "");
  EXPECT_LT(cost.bytes, 100 * kMegabyte);
  EXPECT_LT(cost.steps, 200'000U);
}

// Whether an object may end is known without a look at all properties that might come.
TEST(SchemaCost, DependentPropertiesFarApart) {
  Json schema = {{"properties", names("a", 11)}};
  for (int i = 0; i < 11; ++i)
    schema["dependentRequired"]["a" + std::to_string(i)] = Json::array({"z"});
  for (int i = 0; i < 1200; ++i) {
    append_member(schema["properties"], "b" + std::to_string(i), Json::object());
  }
  schema["properties"]["z"] = Json::object();
  EXPECT_LT(cost_of(schema).bytes, 150 * kMegabyte);
  // Each state knows of every dependency.
  Json wide = {{"properties", names("a", 3000)}, {"dependentRequired", Json::object()}};
  for (int i = 0; i < 3000; ++i) {
    const std::string last = "z" + std::to_string(i);
    append_member(wide["properties"], last, Json::object());
    append_member(wide["dependentRequired"], "a" + std::to_string(i), Json::array({last}));
  }
  const Cost cost = cost_of(wide, kFewSteps);
  EXPECT_THAT(cost.failure, testing::HasSubstr("too large"));
  EXPECT_LT(cost.bytes, 150 * kMegabyte);
}

TEST(SchemaCost, NamesAndPatternsEachWithEach) {
  Json schema = {{"type", "object"},
                 {"properties", names("n", 2000)},
                 {"patternProperties", names("^q", 2000)}};
  const Cost cost = cost_of(schema);
  EXPECT_THAT(cost.failure, testing::HasSubstr("more than 8 patterns are not supported"));
  EXPECT_LT(cost.bytes, 150 * kMegabyte);
}

TEST(SchemaCost, ListsAreComparedWithinBounds) {
  Json schema = {{"uniqueItems", true}, {"enum", Json::array({Json::array()})}};
  for (int i = 0; i < 15'000; ++i) schema["enum"][0].push_back(i);
  EXPECT_EQ(cost_of(schema).failure, "");
  // What differs as whole numbers and not as doubles is compared each with each.
  for (Json& item : schema["enum"][0]) item = item.get<std::int64_t>() + (std::int64_t{1} << 62U);
  EXPECT_THAT(cost_of(schema, kFewSteps).failure, testing::HasSubstr("too large"));
  Json listed = {{"allOf", Json::array()}};
  Json values = Json::array();
  for (int i = 0; i < 4000; ++i) values.push_back(i);
  for (int i = 0; i < 4; ++i) listed["allOf"].push_back({{"enum", values}});
  EXPECT_THAT(cost_of(listed, kFewSteps).failure, testing::HasSubstr("too large"));
}

// Lists of large objects, looked at by many keywords.
TEST(SchemaCost, ObjectsThatDifferAreComparedByTheirHashes) {
  Json list = Json::array();
  for (int i = 0; i < 100; ++i) {
    list.push_back(names("n", 100, 1));
    list.back()["last"] = i;
  }
  Json schema = {{"const", list}, {"allOf", Json::array()}};
  for (int i = 0; i < 10; ++i) {
    schema["allOf"].push_back({{"uniqueItems", true}, {"minItems", i}});
  }
  Cost cost = cost_of(schema);
  EXPECT_EQ(cost.failure, "");
  EXPECT_LT(cost.bytes, 60 * kMegabyte);
  schema["const"][99] = schema["const"][3];
  cost = cost_of(schema);
  EXPECT_LT(cost.n_states, 20U) << "no value is taken";
}

// What is denied is not copied for each way of what is beside it.
TEST(SchemaCost, OppositesOfNamesAreMadeOnceForAllWays) {
  Json schema = json_from(R"({"type":"object","properties":{"q":{"type":"string"}},
      "additionalProperties":false,"$defs":{"z":{"unevaluatedProperties":true}},
      "allOf":[{"not":{"allOf":[{"type":"object"},{"type":["object","null"]}]}}]})");
  for (int i = 0; i < 14; ++i) {
    const std::string prefix = "p" + std::to_string(i) + "-";
    schema["allOf"].push_back({{"not",
                                {{"properties", names(prefix.c_str(), 100, {{"type", "null"}})},
                                 {"additionalProperties", {{"type", "integer"}}}}}});
  }
  for (int i = 0; i < 8; ++i) {
    schema["allOf"].push_back(
        {{"anyOf", Json::array({{{"minProperties", i % 3}}, {{"maxProperties", 5 + i}}})}});
  }
  EXPECT_LT(cost_of(schema).bytes, 100 * kMegabyte);
}

// Members that say nothing cost nothing, however many values and alternatives there are.
TEST(SchemaCost, MembersThatSayNothingAreNotLookedAt) {
  const auto listing = [](int n_members) {
    Json schema = names("x-", n_members, 0);
    schema["enum"] = Json::array();
    for (int i = 0; i < 2000; ++i) schema["enum"].push_back(0);
    for (int i = 1; i < 5; ++i) schema["anyOf"].push_back({{"minimum", -i}});
    return schema;
  };
  const Cost few = cost_of(listing(0));
  const Cost many = cost_of(listing(2000));
  EXPECT_EQ(many.failure, "");
  EXPECT_LT(many.steps, few.steps + 3000);
  EXPECT_LT(many.bytes, few.bytes + 10 * kMegabyte);
}

// Each name that is asked for is charged for each object that may have it.
TEST(SchemaCost, NamesThatListedObjectsHave) {
  const Json object = names("k", 1500, 0);
  Json schema = {{"enum", Json::array({Json::array({object})})}};
  for (const auto& item : object.items()) schema["items"]["required"].push_back(item.key());
  schema["items"]["required"].push_back("zz");
  for (int i = 0; i < 400; ++i) schema["anyOf"].push_back({{"minItems", 0}, {"x", i}});
  EXPECT_GT(cost_of(schema).steps, 100'000U);
}

// All tools of a request have one budget: one whose schema alone is well within it finds none left.
// What simple ones need is there.
TEST(SchemaCost, ToolsShareWhatTheyMayCost) {
  Json values = Json::array();
  for (int i = 0; i < 1000; ++i) values.push_back(i);
  const Json both = {{"allOf", Json::array({{{"enum", values}}, {{"enum", values}}})}};
  const auto n_free = [&](int n_tools) {
    Json tools = Json::array();
    for (int i = 0; i < n_tools; ++i) {
      tools.push_back({{"function",
                        {{"name", "f" + std::to_string(i)},
                         {"parameters", {{"type", "object"}, {"properties", {{"n", both}}}}}}}});
    }
    for (int i = 0; i < 5; ++i) {
      const Json simple = {{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}};
      tools.push_back({{"function", {{"name", "s" + std::to_string(i)}, {"parameters", simple}}}});
    }
    const auto grammar = make_tool_grammar(test_vocabulary().trie, tools,
                                           {.name = {}, .must_call = false}, Start::at_once);
    EXPECT_TRUE(grammar.ok()) << grammar.message();
    if (!grammar.ok()) return std::size_t{0};
    for (const std::string& note : grammar.value()->unenforced()) {
      EXPECT_LT(std::stoi(note.substr(std::string("tools[").size())), n_tools) << note;
    }
    return grammar.ok() ? grammar.value()->unenforced().size() : 0;
  };
  EXPECT_EQ(n_free(2), 0U);
  const std::size_t n = n_free(40);
  EXPECT_GT(n, 20U);
  EXPECT_LT(n, 40U);
}

// One by one they take what one pattern of all of them takes, or less.
TEST(SchemaCost, ManyDeniedPatternsCostNoMoreThanOneOfAll) {
  const std::vector<std::string> words = {
      "alpha", "beta", "gamma", "delta",  "epsilon", "zeta",    "xi",    "theta", "iota", "kappa",
      "omega", "rho",  "sigma", "lambda", "upsilon", "omicron", "koppa", "tau",   "chi",  "nu"};
  Json each = {{"type", "string"}, {"allOf", Json::array()}};
  std::string all;
  for (const std::string& word : words) {
    each["allOf"].push_back({{"not", {{"pattern", word}}}});
    all += (all.empty() ? "" : "|") + word;
  }
  const Cost one = cost_of({{"type", "string"}, {"not", {{"pattern", all}}}});
  const Cost many = cost_of(each);
  EXPECT_EQ(many.failure, "");
  EXPECT_LE(many.n_states, one.n_states);
  const auto grammar = make_json_grammar(test_vocabulary().trie, each, Start::at_once);
  ASSERT_TRUE(grammar) << grammar.message();
  for (const std::string& word : words) {
    EXPECT_FALSE(takes(*grammar.value(), "\"an " + word + "\""));
    EXPECT_TRUE(takes(*grammar.value(), "\"an " + word.substr(1) + "\"")) << word;
  }
}

}  // namespace
}  // namespace pleiad::constrain
