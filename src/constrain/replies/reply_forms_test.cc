#include "constrain/replies/reply_forms.h"

#include <gtest/gtest.h>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/many_ways_test_data.h"
#include "text/testing/piece_vocabulary.h"

namespace pleiad::constrain {
namespace {

TEST(ReplyForms, EachReplyHasItsOwnPlace) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  auto first = std::move(forms.json(1, "json", Start::at_once)).value();
  auto second = std::move(forms.json(1, "json", Start::at_once)).value();
  first->accept(test.vocabulary->find("{"));
  Bits bits((test.vocabulary->size() + 63) / 64);
  EXPECT_TRUE(first->allowed_next(bits));
  EXPECT_TRUE(has(bits, test.vocabulary->find("}")));
  EXPECT_TRUE(second->allowed_next(bits));
  EXPECT_FALSE(has(bits, test.vocabulary->find("}")));
}

TEST(ReplyForms, FormsThatDifferAreNotMixedUp) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  Bits bits((test.vocabulary->size() + 63) / 64);
  const auto allows = [&](Result<std::unique_ptr<sampling::TokenConstraint>> made,
                          const char* piece) {
    EXPECT_TRUE(made.value()->allowed_next(bits));
    return has(bits, test.vocabulary->find(piece));
  };
  const Json number = {{"type", "number"}};
  const Json tools = json_from(R"([{"function":{"name":"f"}}])");
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(allows(forms.json(1, "json", Start::at_once), "{"));
    EXPECT_FALSE(allows(forms.json(1, "json", Start::at_once), "<|channel>"));
    EXPECT_TRUE(allows(forms.json(1, "json", Start::after_thought), "<|channel>"));
    EXPECT_TRUE(allows(forms.json(1, number, Start::at_once), "12"));
    EXPECT_TRUE(allows(forms.tools(1, tools, {}, Start::at_once), "<|tool_call>"));
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(allows(forms.json(1, Json{{"const", i}}, Start::at_once),
                         std::to_string(i).substr(0, 1).c_str()));
    }
  }
}

TEST(ReplyForms, AreKeptAsLongAsTheyFit) {
  const TestVocabulary& test = test_vocabulary();
  const auto ask = [](ReplyForms& forms, int number) {
    const Json format = {{"type", "array"}, {"items", {{"const", number}}}};
    EXPECT_TRUE(forms.json(1, format, Start::at_once).ok());
  };
  ReplyForms none(*test.vocabulary, test.ends, 0);
  ReplyForms some(*test.vocabulary, test.ends, 100'000);
  ReplyForms all(*test.vocabulary, test.ends);
  for (int i = 0; i < 100; ++i) {
    for (ReplyForms* forms : {&none, &some, &all}) ask(*forms, i);
  }
  EXPECT_EQ(none.n_kept(), 1U) << "the last is of use to whoever asks again";
  EXPECT_GT(some.n_kept(), 2U);
  EXPECT_LT(some.n_kept(), 100U);
  EXPECT_EQ(all.n_kept(), 100U);
}

TEST(ReplyForms, AreSharedWithinAScopeAlone) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const Json tools = json_from(R"([{"function":{"name":"f"}}])");
  for (const std::uint64_t scope : {1, 2, 1, 2}) {
    EXPECT_TRUE(forms.json(scope, "json", Start::at_once).ok());
    EXPECT_TRUE(forms.tools(scope, tools, {}, Start::at_once).ok());
  }
  EXPECT_EQ(forms.n_kept(), 4U) << "two forms of two scopes";
}

// The form is that of what was begun and the reply together.
TEST(ReplyForms, WhatWasBegunIsAPartOfTheText) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const Json format = json_from(R"({"type": "object", "properties": {"a": {"type": "integer"}},
                                    "required": ["a"], "additionalProperties": false})");
  Bits bits((test.vocabulary->size() + 63) / 64);
  const auto allows = [&](std::string_view begun, const char* piece) {
    auto made = forms.json(1, format, Start::at_once, begun);
    if (!made) return false;
    EXPECT_TRUE(made.value()->allowed_next(bits));
    return has(bits, test.vocabulary->find(piece));
  };
  const auto end = [&](std::string_view begun) {
    auto made = forms.json(1, format, Start::at_once, begun);
    return made && made.value()->allowed_next(bits) && has(bits, test.ends[0]);
  };
  EXPECT_TRUE(allows("", "{"));
  EXPECT_FALSE(allows("{", "{"));
  EXPECT_TRUE(allows("{", "\""));
  EXPECT_TRUE(allows("{\"a\":", "1"));
  EXPECT_TRUE(allows("{\n  \"a\": 1", "}"));
  EXPECT_FALSE(end("{\"a\":1"));
  EXPECT_TRUE(end("{\"a\":1}"));
  for (const char* stranger : {"Sure: {", "[", "{\"b\"", "{\"a\":1} and"}) {
    const auto made = forms.json(1, format, Start::at_once, stranger);
    ASSERT_FALSE(made.ok()) << stranger;
    EXPECT_EQ(made.message(),
              "format: no text of this format begins as the last message of the assistant's does");
  }
  EXPECT_EQ(forms.n_kept(), 1U) << "the form is the same, whatever was begun";
}

TEST(ReplyForms, WhatIsWrongBeginsWithItsPlaceInTheRequest) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const auto problem = [&](const char* syntax, const char* definition) {
    const Json format = {
        {"type", "grammar"}, {"syntax", syntax}, {"definition", json_from(definition)}};
    const auto made = forms.json(1, format, Start::at_once, {}, nullptr, "response_format");
    return made ? "" : made.message();
  };
  EXPECT_EQ(problem("structural_tag", R"({"format": {"type": "tag", "end": ">"}})"),
            "response_format.format.begin: missing");
  EXPECT_EQ(problem("structural_tag", "7"),
            "response_format: expected a structural tag, an object");
  EXPECT_EQ(problem("choice", "[1]"), "response_format: text 1: expected a string");
}

// What is kept is the same whatever its place in the request.
TEST(ReplyForms, WhatGrammarsTellOfTheirSchemasBeginsWithItsPlaceInTheRequest) {
  using Notes = std::vector<std::string>;
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const auto told = [&](const char* syntax, const Json& definition, const std::string& where) {
    const Json format = {{"type", "grammar"}, {"syntax", syntax}, {"definition", definition}};
    Notes warnings = {"what was told before"};
    EXPECT_TRUE(forms.json(1, format, Start::at_once, {}, &warnings, where));
    warnings.erase(warnings.begin());
    return warnings;
  };
  const std::string never = ".properties.a: no value can satisfy it, so none is written";
  const Json tag = json_from(R"({"format": {"type": "triggered_tags", "triggers": ["<"], "tags": [
      {"begin": "<", "end": ">", "content": {"type": "json_schema", "json_schema":
        {"type": "object", "properties": {"a": {"enum": []}}}}}]}})");
  const Json lark = R"(start: %json {"type":"object","properties":{"a":{"enum":[]}}})";
  for (const std::string where : {"response_format", "structured_outputs.structural_tag"}) {
    EXPECT_EQ(told("structural_tag", tag, where),
              Notes{where + ".format.tags[0].content.json_schema" + never});
    EXPECT_EQ(told("lark", lark, where), Notes{where + ": line 1, column 14: %json" + never});
    EXPECT_EQ(told("regex", "a|b", where), Notes());
  }
  EXPECT_EQ(forms.n_kept(), 3U);
  const Json old = json_from(R"({"triggers": ["<"], "structures": [
      {"begin": "<", "end": ">", "schema": {"items": {"type": "string", "minLength": 2, "maxLength": 1}}}]})");
  EXPECT_EQ(told("structural_tag", old, "response_format"),
            Notes{"response_format.structures[0].schema.items: no value can satisfy it "
                  "(\"minLength\" is greater than \"maxLength\"), so none is written"});
}

/// Whether a reply of these tokens may come, and end.
bool takes(ReplyForms::Constraint made, const std::vector<text::TokenId>& tokens) {
  const TestVocabulary& test = test_vocabulary();
  Bits bits((test.vocabulary->size() + 63) / 64);
  for (const text::TokenId token : tokens) {
    EXPECT_TRUE(made.value()->allowed_next(bits));
    if (!has(bits, token)) return false;
    made.value()->accept(token);
  }
  return made.value()->allowed_next(bits) && has(bits, test.ends[0]);
}

TEST(ReplyForms, CallsOrTheFormatWhicheverBegins) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const Json tools = json_from(R"([{"function":{"name":"f"}}])");
  const Json format =
      json_from(R"({"type":"object","properties":{},"additionalProperties":false})");
  const auto spelled = [&](std::string_view text) {
    std::vector<text::TokenId> tokens;
    for (const char c : text) {
      tokens.push_back(test.vocabulary->byte_piece(static_cast<std::uint8_t>(c)));
    }
    return tokens;
  };
  std::vector<text::TokenId> call = spelled("call:f{}");
  call.insert(call.begin(), test.tag(text::Tag::tool_call_open));
  call.push_back(test.tag(text::Tag::tool_call_close));
  std::vector<text::TokenId> calls = call;
  calls.insert(calls.end(), call.begin(), call.end());
  std::vector<text::TokenId> both = spelled("{}");
  both.insert(both.end(), call.begin(), call.end());
  std::vector<text::TokenId> thought = {test.tag(text::Tag::channel_open),
                                        test.vocabulary->find("hello"),
                                        test.tag(text::Tag::channel_close)};
  for (const Start start : {Start::at_once, Start::after_thought}) {
    for (const bool parallel : {false, true}) {
      const ToolPolicy policy = {.name = {}, .parallel = parallel, .must_call = false};
      const auto made = [&] { return forms.tools_or_json(1, tools, policy, format, start); };
      EXPECT_TRUE(takes(made(), spelled("{}")));
      EXPECT_TRUE(takes(made(), call));
      EXPECT_EQ(takes(made(), calls), parallel);
      EXPECT_FALSE(takes(made(), both));
      EXPECT_FALSE(takes(made(), spelled("Hi")));
      EXPECT_FALSE(takes(made(), {})) << "nothing is neither";
      for (const auto& reply : {spelled("{}"), call}) {
        std::vector<text::TokenId> thinking = thought;
        thinking.insert(thinking.end(), reply.begin(), reply.end());
        EXPECT_EQ(takes(made(), thinking), start == Start::after_thought);
      }
    }
  }
}

TEST(ReplyForms, MessagesNameTheRequestsOwnPaths) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const Json bad = json_from(R"({"properties":{"x":{"uniqueItems":true}}})");
  EXPECT_TRUE(forms.json(1, bad, Start::at_once, {}, nullptr, "text.format.schema")
                  .message()
                  .starts_with("text.format.schema.properties.x.uniqueItems: "));
  Json tools = json_from(R"([{"function":{"name":"f"}}, {"function":{"name":"g"}}])");
  tools[1]["function"]["parameters"] = bad;
  ToolPolicy policy = {.name = {}, .parallel = false, .must_call = false};
  for (const char* path : {"tools[0].input_schema", "functions[7].parameters"}) {
    policy.paths = {"?", path};  // the same tools of another request
    std::vector<std::string> warnings;
    EXPECT_TRUE(forms.tools(1, tools, policy, Start::at_once, &warnings).ok());
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(warnings[0].starts_with(path + std::string(".properties.x.uniqueItems: ")))
        << warnings[0];
  }
  tools[1]["function"]["name"] = "a b";
  std::vector<std::string> warnings;
  EXPECT_TRUE(forms.tools(1, tools, policy, Start::at_once, &warnings).ok());
  EXPECT_TRUE(warnings[0].starts_with("functions[7].name: ")) << warnings[0];
}

TEST(ReplyForms, FailuresPass) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  EXPECT_EQ(forms.json(1, "xml", Start::at_once).message(),
            "format: expected \"json\" or a JSON schema");
}

/// Arrays of which nothing says which it is: at each bracket each may end in each.
Json many_arrays(int n) {
  return {{"anyOf", std::vector<Json>(static_cast<std::size_t>(n),
                                      {{"type", "array"}, {"items", {{"$ref", "#"}}}})}};
}

TEST(ReplyForms, AlternativesThatBeginAlikeMayNest) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  for (const int n : {2, 50}) {
    const auto made = forms.json(1, many_arrays(n), Start::at_once, std::string(30, '['));
    ASSERT_TRUE(made.ok()) << made.message();
    Bits bits((test.vocabulary->size() + 63) / 64);
    const text::TokenId close = test.vocabulary->find("]");
    for (int i = 0; i < 30; ++i) {
      made.value()->allowed_next(bits);
      ASSERT_TRUE(has(bits, close)) << i;
      EXPECT_FALSE(has(bits, test.ends[0])) << i;
      made.value()->accept(close);
    }
    made.value()->allowed_next(bits);
    EXPECT_TRUE(has(bits, test.ends[0]));
    EXPECT_FALSE(has(bits, close));
  }
}

TEST(ReplyForms, WhatHasTooManyWaysIsGivenUp) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const Json format = arrays_that_begin_alike(60);
  EXPECT_TRUE(forms.json(1, format, Start::at_once, "[").ok());
  const auto made = forms.json(1, format, Start::at_once, "[[");
  ASSERT_FALSE(made.ok());
  EXPECT_TRUE(made.message().starts_with("format: the form of the reply")) << made.message();
  EXPECT_NE(made.message().find("more than 4096 ways"), std::string::npos) << made.message();
}

TEST(ReplyForms, AReplyThatGoesThereIsGivenUp) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  auto reply = std::move(forms.json(1, arrays_that_begin_alike(60), Start::at_once)).value();
  Bits bits((test.vocabulary->size() + 63) / 64);
  const text::TokenId bracket = test.vocabulary->find("[");
  reply->allowed_next(bits);
  ASSERT_TRUE(has(bits, bracket));
  reply->accept(bracket);
  EXPECT_THROW(reply->accept(bracket), sampling::ConstraintError);
}

TEST(ReplyForms, ATokenThatTakesTooManyStepsIsGivenUp) {
  std::string text = "[";
  for (int i = 0; i < 40; ++i) text += "[],";
  const text::PieceVocabulary vocabulary({"[[],", text});
  ReplyForms forms(*vocabulary, std::vector{vocabulary.tag(text::Tag::turn_close)});
  auto reply = std::move(forms.json(1, many_arrays(500), Start::at_once)).value();
  EXPECT_NO_THROW(reply->copy()->accept(vocabulary->find("[[],")));
  EXPECT_THROW(reply->accept(vocabulary->find(text)), sampling::ConstraintError);
}

// Alternatives that do not nest are as many as a form lists.
TEST(ReplyForms, ManyValuesAreNotManyWays) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  Json values = Json::array();
  for (int i = 0; i < 10'000; ++i) values.push_back("value " + std::to_string(i));
  Json ways = Json::array();
  for (int i = 0; i < 200; ++i) {
    ways.push_back({{"type", "object"},
                    {"properties", {{"kind", {{"const", i}}}, {"items", {{"$ref", "#"}}}}},
                    {"required", {"kind"}}});
  }
  EXPECT_TRUE(forms.json(1, {{"enum", values}}, Start::at_once, "\"value 12").ok());
  const auto many = forms.json(1, {{"anyOf", ways}}, Start::at_once, R"({"kind": 1)");
  EXPECT_TRUE(many.ok()) << many.message();
}

TEST(ReplyForms, GrammarsOfTheUserAreForms) {
  ReplyForms forms(*test_vocabulary().vocabulary, test_vocabulary().ends);
  Json grammar = {{"type", "grammar"}, {"syntax", "gbnf"}, {"definition", "root ::= \"yes\""}};
  const auto made = forms.json(1, grammar, Start::at_once, "y");
  ASSERT_TRUE(made) << made.message();
  Bits bits((test_vocabulary().vocabulary->size() + 63) / 64);
  made.value()->allowed_next(bits);
  EXPECT_TRUE(has(bits, test_vocabulary().vocabulary->byte_piece('e')));
  EXPECT_FALSE(has(bits, test_vocabulary().vocabulary->byte_piece('y')));
  EXPECT_EQ(forms.n_kept(), 1U);
  ASSERT_TRUE(forms.json(1, grammar, Start::at_once));
  EXPECT_EQ(forms.n_kept(), 1U);
  ASSERT_TRUE(forms.json(2, grammar, Start::at_once));
  EXPECT_EQ(forms.n_kept(), 2U);  // another scope's

  EXPECT_EQ(forms.json(1, grammar, Start::at_once, "n").message(),
            "format: no text of this grammar begins as the last message of the assistant's does");
  grammar["field"] = "a client's text";  // says nothing of where it came in
  grammar["definition"] = "rot ::= \"a\"";
  EXPECT_EQ(
      forms.json(1, grammar, Start::at_once, {}, nullptr, "guided_grammar").message(),
      "guided_grammar: line 1, column 12: there is no rule \"root\", which is what replies have "
      "to be");
}

TEST(ReplyForms, ACopyOfAReplyGoesOnByItself) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const Json tools = json_from(R"([{"function":{"name":"f","parameters":{"type":"object",
      "properties":{"a":{"enum":[12,34]}},"required":["a"]}}}])");
  const Json format = json_from(R"({"enum": [12, 34]})");
  ToolPolicy open;
  open.must_call = false;
  std::vector<ReplyForms::Constraint> replies;
  replies.push_back(forms.tools(1, tools, {}, Start::at_once));
  replies.push_back(forms.tools(1, tools, open, Start::at_once));
  replies.push_back(forms.tools_or_json(1, tools, open, format, Start::at_once));
  replies.push_back(forms.json(1, format, Start::at_once));
  const auto byte = [&](char c) {
    return test.vocabulary->byte_piece(static_cast<std::uint8_t>(c));
  };
  for (std::size_t i = 0; i < replies.size(); ++i) {
    SCOPED_TRACE(i);
    sampling::TokenConstraint& first = *replies[i].value();
    if (i < 2) {
      first.accept(test.tag(text::Tag::tool_call_open));
      for (const char c : std::string_view("call:f{a:")) first.accept(byte(c));
    }
    first.prepare();  // what is known of the next token is that of both
    const auto second = first.copy();
    Bits bits((test.vocabulary->size() + 63) / 64);
    const auto allows = [&](sampling::TokenConstraint& reply, char c) {
      return reply.allowed_next(bits) && has(bits, byte(c));
    };
    first.accept(byte('1'));
    EXPECT_TRUE(allows(first, '2'));
    EXPECT_FALSE(allows(first, '4'));
    EXPECT_TRUE(allows(*second, '1'));
    EXPECT_TRUE(allows(*second, '3'));
    second->accept(byte('3'));
    EXPECT_TRUE(allows(*second, '4'));
    EXPECT_FALSE(allows(*second, '2'));
    EXPECT_TRUE(allows(first, '2'));
  }
}

}  // namespace
}  // namespace pleiad::constrain
