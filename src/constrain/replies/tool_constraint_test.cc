#include "constrain/replies/tool_constraint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <stdexcept>

#include "base/testing/json.h"
#include "base/testing/sanitizers.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/open_reply.h"
#include "constrain/schema_check.h"
#include "text/reply_parser.h"

namespace pleiad::constrain {
namespace {

using text::Tag;

const Json& tools() {
  static const Json tools = json_from(R"([
    {"type":"function","function":{"name":"get_weather","description":"d","parameters":{
      "type":"object","properties":{
        "unit":{"type":"string","enum":["C","F"]},
        "city":{"type":"string","minLength":1},
        "days":{"type":"integer","minimum":1,"maximum":14},
        "where":{"type":"object","properties":{"lat":{"type":"number"},"tags":{"type":"array",
          "items":{"type":["string","boolean","null"]}}},"required":["lat"]}},
      "required":["city"]}}},
    {"type":"function","function":{"name":"now"}},
    {"type":"function","function":{"name":"odd","parameters":{"type":"object","properties":{
      "a":{"type":"array","items":{"type":"integer"},"not":{"uniqueItems":true}}}}}}])");
  return tools;
}

std::shared_ptr<Grammar> tool_grammar(const ToolPolicy& policy, Start start = Start::at_once) {
  auto grammar = make_tool_grammar(test_vocabulary().trie, tools(), policy, start);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

text::Reply parsed(const std::vector<text::TokenId>& tokens) {
  text::ReplyParser parser({.spelled_tags = false});
  text::Reply reply;
  const auto add = [&](std::vector<text::ReplyEvent> events) {
    for (text::ReplyEvent& event : events) reply.add(std::move(event));
  };
  for (const text::TokenId token : tokens) {
    if (const auto tag = test_vocabulary().vocabulary->tag_of(token)) {
      add(parser.push_control(*tag));
    } else {
      add(parser.push_text(text_of({token})));
    }
  }
  add(parser.finish(false));
  return reply;
}

bool takes_reply(const ToolPolicy& policy, std::string_view text) {
  return takes_call(tool_grammar(policy), text);
}

TEST(ToolConstraint, RandomRepliesAreCallsThatTheParametersAllow) {
  const auto grammar = tool_grammar({.name = {}, .parallel = true});
  std::mt19937 random(3);
  int n_weather = 0;
  for (int round = 0; round < 300; ++round) {
    const auto tokens = random_reply(*grammar, random, round < 20);
    if (HasFatalFailure()) return;
    if (!tokens) continue;
    const text::Reply reply = parsed(*tokens);
    ASSERT_FALSE(reply.tool_calls.empty());
    EXPECT_EQ(reply.content, "");
    for (const text::ReplyEvent& call : reply.tool_calls) {
      ASSERT_EQ(call.kind, text::ReplyEvent::Kind::tool_call) << call.text << ": " << call.problem;
      ASSERT_THAT(call.name, testing::AnyOf("get_weather", "now", "odd"));
      EXPECT_TRUE(call.arguments.is_object());
      EXPECT_TRUE(call.name != "now" || call.arguments.empty()) << call.text;
      if (call.name != "get_weather") continue;
      ++n_weather;
      const SchemaCheck check(tools()[0]["function"]["parameters"]);
      EXPECT_TRUE(check.valid(call.arguments)) << call.text << " " << to_text(call.arguments);
    }
  }
  EXPECT_GT(n_weather, 30);
}

TEST(ToolConstraint, TakesCallsAsTheTemplatesWriteThem) {
  const ToolPolicy any;
  EXPECT_TRUE(takes_reply(
      any, R"(<|tool_call>call:get_weather{city:<|"|>Paris, "{FR}"<|"|>}<tool_call|>)"));
  EXPECT_TRUE(takes_reply(
      any, R"(<|tool_call>call:get_weather{city:<|"|>x<|"|>,days:3,unit:<|"|>C<|"|>,where:)"
           R"({lat:1.5,tags:[<|"|>a<|"|>,true,null]}}<tool_call|>)"));
  EXPECT_TRUE(takes_reply(any, "<|tool_call>call:now{}<tool_call|>"));
  EXPECT_TRUE(takes_reply(any, "<|tool_call>call:odd{a:[1,1]}<tool_call|>"));
}

TEST(ToolConstraint, RefusesOtherReplies) {
  const ToolPolicy any;
  for (const char* reply :
       {"", "hello", "<|tool_call>call:other{}<tool_call|>",
        "<|tool_call>call:now{a:1}<tool_call|>", "<|tool_call>call:get_weather{}<tool_call|>",
        R"(<|tool_call>call:get_weather{city:<|"|><|"|>}<tool_call|>)",
        R"(<|tool_call>call:get_weather{city:Paris}<tool_call|>)",
        R"(<|tool_call>call:odd{a:[<|"|>x<|"|>]}<tool_call|>)",
        "<|tool_call>call:odd{b:1}<tool_call|>",
        R"(<|tool_call>call:get_weather{city:<|"|>x<|"|>,days:15}<tool_call|>)",
        R"(<|tool_call>call:get_weather{city:<|"|>x<|"|>)", "<|tool_call>call:now{}",
        "<|tool_call>call:now{}<tool_call|><|tool_call>call:now{}<tool_call|>"}) {
    EXPECT_FALSE(takes_reply(any, reply)) << reply;
  }
}

TEST(ToolConstraint, ThePolicyChoosesNameAndNumber) {
  const char* two = "<|tool_call>call:now{}<tool_call|><|tool_call>call:now{}<tool_call|>";
  EXPECT_TRUE(takes_reply({.name = "now", .parallel = true}, two));
  EXPECT_TRUE(takes_reply({.name = "now"}, "<|tool_call>call:now{}<tool_call|>"));
  EXPECT_FALSE(takes_reply({.name = "odd"}, "<|tool_call>call:now{}<tool_call|>"));
}

TEST(ToolConstraint, AThoughtMayComeFirst) {
  GrammarConstraint constraint(tool_grammar({}, Start::after_thought));
  for (const text::TokenId token :
       tokens_of("<|channel>thought\nhm<channel|><|tool_call>call:now{}<tool_call|>")) {
    ASSERT_TRUE(constraint.allows(token));
    constraint.accept(token);
  }
  EXPECT_TRUE(constraint.may_end());
}

// What is left out is told, and the rest of that schema holds, and that of other tools.
TEST(ToolConstraint, WhatCannotBeEnforcedIsTold) {
  const auto grammar = tool_grammar({});
  ASSERT_EQ(grammar->unenforced().size(), 1U);
  EXPECT_THAT(grammar->unenforced()[0],
              testing::StartsWith("tools[2].function.parameters.properties.a.not.uniqueItems: "));
}

TEST(ToolConstraint, AStrictToolLeavesNothingOut) {
  Json strict = tools();
  strict[2]["function"]["strict"] = true;
  const auto grammar = make_tool_grammar(test_vocabulary().trie, strict, {}, Start::at_once);
  ASSERT_FALSE(grammar.ok());
  EXPECT_THAT(grammar.message(),
              testing::StartsWith("tools[2].function.parameters.properties.a.not.uniqueItems: "));
  strict[2]["function"]["strict"] = false;
  strict[0]["function"]["strict"] = true;
  EXPECT_TRUE(make_tool_grammar(test_vocabulary().trie, strict, {}, Start::at_once).ok());
}

/// A tool "f" whose argument "x" has that schema, beside "n", a digit.
Json tool_with(const char* schema, bool strict = false) {
  Json parameters = json_from(R"({"type":"object","properties":{
      "n":{"type":"integer","minimum":0,"maximum":9}},"required":["n","x"]})");
  parameters["properties"]["x"] = json_from(schema);
  return Json::array(
      {{{"function", {{"name", "f"}, {"parameters", parameters}, {"strict", strict}}}}});
}

// What is wrong with one part, or cannot be followed, is left out alone.
TEST(ToolConstraint, APartThatCannotBeFollowedDoesNotUnbindTheRest) {
  const std::string paths = "tools[0].function.parameters.properties.x";
  const std::pair<const char*, std::string> schemas[] = {
      {R"({"type":"any"})", ".type: "},
      {R"({"minLength":null})", ".minLength: "},
      {R"({"items":null})", ".items: "},
      {R"({"oneOf":[]})", ".oneOf: "},
      {R"({"not":{"type":"float"}})", ".not.type: "},
      {R"({"$ref":"https://example.com/other"})", ".$ref: "},
      {R"({"$ref":"#/properties/x"})", ": "},
      {"5", ": "},
  };
  for (const auto& [schema, where] : schemas) {
    const auto made =
        make_tool_grammar(test_vocabulary().trie, tool_with(schema), {}, Start::at_once);
    ASSERT_TRUE(made.ok()) << made.message();
    ASSERT_EQ(made.value()->unenforced().size(), 1U) << schema;
    EXPECT_THAT(made.value()->unenforced()[0], testing::StartsWith(paths + where));
    EXPECT_THAT(made.value()->unenforced()[0], testing::EndsWith("and the rest holds"));
    EXPECT_TRUE(takes_call(made.value(), "<|tool_call>call:f{n:4,x:[7]}<tool_call|>")) << schema;
    EXPECT_FALSE(takes_call(made.value(), "<|tool_call>call:f{n:14,x:[7]}<tool_call|>"));
    EXPECT_FALSE(takes_call(made.value(), "<|tool_call>call:f{n:4}<tool_call|>")) << schema;
    EXPECT_FALSE(
        make_tool_grammar(test_vocabulary().trie, tool_with(schema, true), {}, Start::at_once)
            .ok());
  }
}

TEST(ToolConstraint, ArgumentsAreObjectsWhateverElseTheTypeNames) {
  for (const char* type : {R"(["object","null"])", R"("OBJECT")"}) {
    Json tools = tool_with("{}");
    tools[0]["function"]["parameters"]["type"] = json_from(type);
    const auto made = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
    ASSERT_TRUE(made.ok()) << made.message();
    EXPECT_TRUE(takes_call(made.value(), "<|tool_call>call:f{n:4,x:7}<tool_call|>")) << type;
    EXPECT_FALSE(takes_call(made.value(), "<|tool_call>call:f{n:14,x:7}<tool_call|>")) << type;
  }
}

TEST(ToolConstraint, AToolThatNothingSatisfiesTakesAnything) {
  Json impossible = json_from(R"([{"type":"function","function":{"name":"f","parameters":{
      "type":"object","enum":[1]}}},
      {"type":"function","function":{"name":"g","parameters":{"type":"string"}}}])");
  const auto made = make_tool_grammar(test_vocabulary().trie, impossible, {}, Start::at_once);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(made.value()->unenforced().size(), 2U);
  for (const int tool : {0, 1}) {
    Json strict = impossible;
    strict[static_cast<std::size_t>(tool)]["function"]["strict"] = true;
    EXPECT_FALSE(make_tool_grammar(test_vocabulary().trie, strict, {}, Start::at_once).ok());
  }
}

// Where no call is demanded, text is free and calls are not.
// The alphabet has `children` before `type`, which alone tells the kinds apart.
TEST(ToolConstraint, ArgumentsOfManyKindsNest) {
  Json kinds = Json::array();
  for (const char* kind : {"row", "column", "card", "text", "list"}) {
    kinds.push_back({{"type", "object"},
                     {"properties",
                      {{"type", {{"const", kind}}},
                       {"children", {{"type", "array"}, {"items", {{"$ref", "#/$defs/n"}}}}}}},
                     {"required", {"type", "children"}},
                     {"additionalProperties", false}});
  }
  const Json tools = {{{"type", "function"},
                       {"function",
                        {{"name", "f"},
                         {"parameters",
                          {{"type", "object"},
                           {"properties", {{"root", {{"$ref", "#/$defs/n"}}}}},
                           {"required", {"root"}},
                           {"$defs", {{"n", {{"anyOf", kinds}}}}}}}}}}};
  auto grammar = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(grammar) << grammar.message();
  EXPECT_TRUE(grammar.value()->unenforced().empty());
  const auto call = [](int depth, std::string_view innermost) {
    std::string node = fmt::format("{{children:[],type:<|\"|>{}<|\"|>}}", innermost);
    for (int i = 1; i < depth; ++i) {
      node =
          fmt::format("{{children:[{}],type:<|\"|>{}<|\"|>}}", node, i % 2 == 0 ? "row" : "card");
    }
    return "<|tool_call>call:f{root:" + node + "}<tool_call|>";
  };
  for (const int depth : {1, 2, 6, 20, 28}) {
    EXPECT_TRUE(takes_call(grammar.value(), call(depth, "text"))) << depth;
    EXPECT_FALSE(takes_call(grammar.value(), call(depth, "tree"))) << depth;
  }
}

TEST(OpenReply, CallsInTextHaveTheirForm) {
  const TestVocabulary& test = test_vocabulary();
  OpenReply reply(tool_grammar({.name = {}, .must_call = false}));
  Bits bits((test.vocabulary->size() + 63) / 64);
  for (const char* call : {"<|tool_call>call:now{}<tool_call|>",
                           R"(<|tool_call>call:get_weather{city:<|"|>x<|"|>}<tool_call|>)"}) {
    EXPECT_FALSE(reply.allowed_next(bits)) << "every token may come";
    for (const text::TokenId token : tokens_of("Well, }{ <|channel>hm<channel|>")) {
      reply.accept(token);
    }
    for (const text::TokenId token : tokens_of(call)) {
      const bool is_first = token == test.tag(Tag::tool_call_open);
      ASSERT_EQ(reply.allowed_next(bits), !is_first);
      if (!is_first) {
        EXPECT_TRUE(has(bits, token));
        EXPECT_FALSE(has(bits, test.ends[0]));
        EXPECT_FALSE(has(bits, test.tag(Tag::tool_call_open)));
      }
      reply.accept(token);
    }
  }
  EXPECT_FALSE(reply.allowed_next(bits));
  for (const text::TokenId token : tokens_of("<|tool_call>call:")) reply.accept(token);
  ASSERT_TRUE(reply.allowed_next(bits));
  EXPECT_FALSE(has(bits, test.vocabulary->find("hello"))) << "there is no such tool";
}

// Where no call is demanded, no request fails for what its tools are called or how many they are.
TEST(ToolConstraint, WhereNoCallIsDemandedOddToolsAreTold) {
  const ToolPolicy open{.name = {}, .must_call = false};
  Json odd = tools();
  odd[1]["function"]["name"] = "right now";
  const auto made = make_tool_grammar(test_vocabulary().trie, odd, open, Start::at_once);
  ASSERT_TRUE(made.ok()) << made.message();
  ASSERT_EQ(made.value()->unenforced().size(), 2U);
  EXPECT_THAT(made.value()->unenforced()[0],
              testing::StartsWith("tools[1].function.name: expected a name without blanks"));
  EXPECT_TRUE(takes_call(made.value(), "<|tool_call>call:right now{}<tool_call|>"));
  EXPECT_FALSE(takes_call(made.value(), "<|tool_call>call:get_weather{}<tool_call|>"));
  odd[1]["function"]["name"] = "f,g";
  EXPECT_EQ(make_tool_grammar(test_vocabulary().trie, odd, {}, Start::at_once).message(),
            "tools[1].function.name: expected a name without blanks, quotes, brackets and , ; =");

  Json many = Json::array();
  for (int i = 0; i < 1100; ++i)
    many.push_back({{"function", {{"name", "f" + std::to_string(i)}}}});
  Json long_names = Json::array();
  for (int i = 0; i < 30; ++i) {
    long_names.push_back({{"function", {{"name", std::to_string(i) + std::string(9000, 'n')}}}});
  }
  for (const Json& free : {many, long_names}) {
    const auto grammar = make_tool_grammar(test_vocabulary().trie, free, open, Start::at_once);
    ASSERT_TRUE(grammar.ok()) << grammar.message();
    ASSERT_EQ(grammar.value()->unenforced().size(), 1U);
    EXPECT_THAT(grammar.value()->unenforced()[0], testing::HasSubstr("held to no schema"));
    EXPECT_TRUE(takes_call(grammar.value(), R"(<|tool_call>call:any{a:<|"|>x<|"|>}<tool_call|>)"));
    EXPECT_FALSE(make_tool_grammar(test_vocabulary().trie, free, {}, Start::at_once).ok());
  }
}

// Tools that do not fit together: as many as fit are held to their schemas, the smallest ones.
TEST(ToolConstraint, AsManySchemasHoldAsFit) {
  Json many = Json::array();
  for (int i = 0; i < 400; ++i) {
    Json properties = Json::object();
    for (int k = 0; k < (i == 0 ? 4000 : 12); ++k) {
      append_member(properties, "property_of_a_long_name_" + std::to_string(k),
                    {{"type", "string"}, {"enum", {"first", "second"}}});
    }
    many.push_back({{"function",
                     {{"name", "f" + std::to_string(i)},
                      {"parameters", {{"type", "object"}, {"properties", properties}}}}}});
  }
  const auto made = make_tool_grammar(test_vocabulary().trie, many,
                                      {.name = {}, .must_call = false}, Start::at_once);
  ASSERT_TRUE(made.ok()) << made.message();
  const auto& notes = made.value()->unenforced();
  EXPECT_GT(notes.size(), 1U);
  EXPECT_LT(notes.size(), 200U);
  EXPECT_THAT(notes, testing::Contains(testing::HasSubstr("tools[0].function.parameters: ")));
}

Json tool_named(const std::string& name, const Json& parameters, bool strict = false) {
  return {{"type", "function"},
          {"function", {{"name", name}, {"parameters", parameters}, {"strict", strict}}}};
}

// A dear schema takes nothing from simple ones, in whichever order they come, and leaves nothing
// behind where it is given up.
TEST(ToolConstraint, DearToolsTakeNothingFromSimpleOnes) {
  const Json simple =
      json_from(R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})");
  constexpr int kDear = unless_sanitized(14, 2);  // 14 take minutes there
  Json many = Json::array();
  for (int i = 0; i < kDear; ++i) {
    Json dear = {{"type", "object"}};
    for (int k = 0; k < 6; ++k) {
      dear["properties"]["p" + std::to_string(k)] = {
          {"type", "integer"}, {"multipleOf", 2001 + 10 * i}, {"minimum", k + 1}};
    }
    many.push_back(tool_named("d" + std::to_string(i), dear));
  }
  for (int i = 0; i < 5; ++i) many.push_back(tool_named("s" + std::to_string(i), simple));
  const auto made = make_tool_grammar(test_vocabulary().trie, many, {}, Start::at_once);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(made.value()->unenforced().size(), std::size_t{kDear});
  EXPECT_LT(made.value()->automaton().n_states(), 2000U);
  for (int i = 0; i < 5; ++i) {
    const std::string call = "<|tool_call>call:s" + std::to_string(i);
    EXPECT_TRUE(takes_call(made.value(), call + R"({city:<|"|>x<|"|>}<tool_call|>)"));
    EXPECT_FALSE(takes_call(made.value(), call + "{}<tool_call|>"));
  }
  EXPECT_TRUE(takes_call(made.value(), "<|tool_call>call:d1{p0:1}<tool_call|>"));
}

// A call's arguments are an object, whatever else the schema leaves open.
TEST(ToolConstraint, ArgumentsAreAnObject) {
  const Json tools = Json::array(
      {tool_named("title", {{"title", "x"}}),
       tool_named("ways", json_from(R"({"anyOf":[{"type":"object"},{"type":"null"}]})")),
       tool_named("itself", json_from(R"({"properties":{"again":{"$ref":"#"}}})")),
       tool_named("words", json_from(R"({"enum":["a",1]})")), tool_named("none", Json::object())});
  const auto made = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(made.ok()) << made.message();
  const auto takes_arguments = [&](const char* name, const char* arguments) {
    return takes_call(made.value(),
                      std::string("<|tool_call>call:") + name + arguments + "<tool_call|>");
  };
  for (const char* name : {"title", "ways", "itself", "words"}) {
    for (const char* value : {"5", "true", "null", "1", R"(<|"|>a<|"|>)"}) {
      EXPECT_FALSE(takes_arguments(name, value)) << name << value;
    }
    EXPECT_TRUE(takes_arguments(name, "{}")) << name;
  }
  EXPECT_TRUE(takes_arguments("title", "{a:1}"));
  EXPECT_TRUE(takes_arguments("itself", "{again:{again:{}}}"));
  EXPECT_FALSE(takes_arguments("itself", "{again:1}"));
  EXPECT_TRUE(takes_arguments("none", "{}"));
  EXPECT_FALSE(takes_arguments("none", "{a:1}"));
  ASSERT_EQ(made.value()->unenforced().size(), 1U);
  EXPECT_THAT(made.value()->unenforced()[0],
              testing::StartsWith("tools[3].function.parameters: no object can satisfy it; its "
                                  "\"enum\" is left out"));
}

TEST(ToolConstraint, FailuresNameTheTool) {
  const auto message = [](const char* json, const ToolPolicy& policy) {
    const auto grammar =
        make_tool_grammar(test_vocabulary().trie, json_from(json), policy, Start::at_once);
    return grammar.ok() ? std::string("it was accepted") : grammar.message();
  };
  EXPECT_EQ(message("[]", {}), "tools: expected a list of tools");
  EXPECT_THAT(message(R"([{"function":{"name":"a b"}}])", {}),
              testing::StartsWith("tools[0].function.name: "));
  EXPECT_EQ(message(R"([{"function":{"name":"a"}}])", {.name = "b"}), "tools: there is no \"b\"");
}

TEST(ToolConstraint, WhatIsHeldToNothingIsToldApart) {
  Json tools = json_from(R"([{"function":{"name":"f","parameters":{
      "type":"object","properties":{"a":{"not":{}}},"required":["a"]}}},
      {"function":{"name":"g","parameters":{"type":"object",
      "properties":{"a":{"type":"array","not":{"uniqueItems":true}}}}}}])");
  ToolPolicy policy;
  policy.paths = {"tools[1].input_schema", "tools[11].input_schema"};
  const auto made = make_tool_grammar(test_vocabulary().trie, tools, policy, Start::at_once);
  ASSERT_TRUE(made.ok()) << made.message();
  const auto& notes = made.value()->unenforced();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_TRUE(is_beyond_help(notes, "tools[1].input_schema"));
  EXPECT_FALSE(is_beyond_help(notes, "tools[11].input_schema"));
  EXPECT_FALSE(is_beyond_help(notes, "tools[1].input"));
  tools[0]["function"]["name"] = "no name";
  tools[0]["function"].erase("parameters");
  policy.must_call = false;
  const auto odd = make_tool_grammar(test_vocabulary().trie, tools, policy, Start::at_once);
  EXPECT_FALSE(is_beyond_help(odd.value()->unenforced(), "tools[1].input_schema"));
  tools[0]["function"].erase("name");
  const auto free = make_tool_grammar(test_vocabulary().trie, tools, policy, Start::at_once);
  EXPECT_TRUE(is_beyond_help(free.value()->unenforced(), "tools[11].input_schema"));
}

}  // namespace
}  // namespace pleiad::constrain
