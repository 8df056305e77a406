// Names of properties that are not listed: no object has one twice.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/schema_check.h"
#include "constrain/testing/slow_matcher.h"
#include "constrain/tokens/dense_vocabulary_test_data.h"
#include "constrain/tokens/word_tokenizer_test_data.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SchemaPolicy keys_in_any_order() {
  SchemaPolicy policy;
  policy.order = PropertyOrder::any;
  return policy;
}

std::shared_ptr<Grammar> named_grammar(const char* schema, const SchemaPolicy& policy = {}) {
  auto grammar =
      make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once, policy);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

struct NamedVerdicts {
  const char* schema;
  std::vector<const char*> taken, refused;
  SchemaPolicy policy = {};
};

void expect_names(const NamedVerdicts& of) {
  SCOPED_TRACE(of.schema);
  const auto grammar = named_grammar(of.schema, of.policy);
  for (const char* text : of.taken) EXPECT_TRUE(takes(*grammar, text)) << text;
  for (const char* text : of.refused) EXPECT_FALSE(takes(*grammar, text)) << text;
}

TEST(FreeNames, OfAnyObject) {
  expect_names(
      {.schema = R"("json")",
       .taken = {"{}", R"({"a":1})", R"({"a":1,"b":1})", R"({"a":1,"aa":1,"":1,"A":1})",
                 R"({"a":{"a":1},"b":{"a":1,"b":{"a":1,"b":2}}})", R"({"b":[{"a":1},{"a":2}]})",
                 R"({"\n":1,"n":2,"\\n":3})", "{\n  \"a\": 1,\n  \"b\": 2\n}",
                 R"({"a":"a","b":"a\":1,\"b"})", "{\"\xC3\xA9\":1,\"\xC3\xA8\":2}"},
       .refused = {R"({"a":1,"a")", R"({"a":1,"b":2,"a")", R"({"a":1,"b":2,"b")", R"({"":1,"")",
                   R"({"a":1, "a")", "{\n  \"a\": 1,\n  \"a\"", R"({"a":{"a":1,"a")",
                   R"({"a":{"b":1},"a")", R"({"a":[{"b":1,"b")", R"({"\n":1,"\n")",
                   R"({"a":1,"\u0061")", R"({"a":1,"b":{"c":1,"d":2},"b")",
                   "{\"\xC3\xA9\":1,\"\xC3\xA9\""}});
}

bool begins_call(const std::shared_ptr<Grammar>& grammar, std::string_view text) {
  GrammarConstraint constraint(grammar);
  return std::ranges::all_of(tokens_of(text), [&](text::TokenId token) {
    const bool is_allowed = constraint.allows(token);
    if (is_allowed) constraint.accept(token);
    return is_allowed;
  });
}

// In calls names stand bare where they may, else between quotes, as listed ones do.
TEST(FreeNames, OfCallsAreQuotedWhereTheyNeedIt) {
  struct Case {
    const char* schema;
    std::vector<std::string> taken, refused;
  };
  const std::string q = "<|\"|>";
  const auto quoted = [&](const std::string& name) { return q + name + q; };
  for (
      const Case& of : {
          Case{R"({"additionalProperties":{"type":"integer"}})",
               {"Which_library:1", "#id:1", "a?b:1", quoted("Which library?") + ":1",
                quoted("a:b") + ":1,a:1," + quoted("b:a") + ":2", quoted("") + ":1",
                quoted("\xC3\xA9 \xF0\x9F\x98\x80") + ":1",
                quoted("\"") + ":1," + quoted("'") + ":2"},
               {quoted("a") + ":", quoted("#id") + ":",
                "a b:", quoted("a:b") + ":1," + quoted("a:b") + ":",
                "a:1,a:", quoted("") + ":1," + quoted("") + ":", quoted("a\n") + ":"}},
          Case{
              R"({"propertyNames":{"pattern":"^\\d{2}:\\d{2}$"},"additionalProperties":{"type":"integer"}})",
              {"", quoted("10:30") + ":1", quoted("10:30") + ":1," + quoted("10:31") + ":2"},
              {"a:", quoted("10-30") + ":", quoted("10:30") + ":1," + quoted("10:30") + ":"}},
          Case{R"({"propertyNames":{"enum":["light blue","dark-red","a:b"]},"minProperties":2,
                    "additionalProperties":{"type":"integer"}})",
               {quoted("light blue") + ":1,dark-red:2", "dark-red:2," + quoted("a:b") + ":2",
                quoted("a:b") + ":1," + quoted("light blue") + ":3,dark-red:2"},
               {"dark-red:2}", quoted("light blue") + ":1," + quoted("light blue") + ":",
                quoted("dark-red") + ":", quoted("light red") + ":"}},
          Case{
              R"({"properties":{"a b":{"type":"null"}},"additionalProperties":{"type":"integer"}})",
              {quoted("a b") + ":null," + quoted("b a") + ":1", quoted("b a") + ":1"},
              {quoted("a b") + ":1", quoted("b a") + ":1," + quoted("a b") + ":"}},
      }) {
    SCOPED_TRACE(of.schema);
    Json tools = json_from(R"([{"type":"function","function":{"name":"f"}}])");
    tools[0]["function"]["parameters"] = json_from(of.schema);
    tools[0]["function"]["parameters"]["type"] = "object";
    const auto made = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
    ASSERT_TRUE(made) << made.message();
    EXPECT_THAT(made.value()->unenforced(), IsEmpty());
    const std::string begin = "<|tool_call>call:f{";
    for (const std::string& text : of.taken) {
      EXPECT_TRUE(takes_call(made.value(), begin + text + "}<tool_call|>")) << text;
    }
    for (const std::string& text : of.refused) {
      EXPECT_FALSE(begins_call(made.value(), begin + text)) << text;
    }
  }
}

TEST(FreeNames, BesideListedOnes) {
  expect_names({.schema = R"({"type":"object","properties":{"id":{"type":"integer"}},
                             "additionalProperties":{"type":"integer"}})",
                .taken = {R"({"id":1,"a":2,"b":3})", R"({"a":2,"b":3})"},
                .refused = {R"({"id":1,"id")", R"({"id":1,"a":2,"id")", R"({"id":1,"a":2,"a")"}});
  expect_names({.schema = R"({"type":"object","properties":{"id":{"type":"integer"}},
                             "additionalProperties":{"type":"integer"}})",
                .taken = {R"({"a":2,"id":1,"b":3})", R"({"a":2,"b":3})"},
                .refused = {R"({"a":1,"id":1,"a")", R"({"id":1,"id")", R"({"a":2,"id":1,"id")"},
                .policy = keys_in_any_order()});
}

TEST(FreeNames, OfValuesOfAnyKind) {
  expect_names({.schema = R"({"type":"object","properties":{"x":{}},"required":["x"]})",
                .taken = {R"({"x":{"x":{"x":1}}})", R"({"x":[{"a":1},{"a":1}]})"},
                .refused = {R"({"x":{"a":1,"a")", R"({"x":[[{"a":1,"a")"}});
  expect_names({.schema = R"({"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},
                             {"type":"object","additionalProperties":{"type":"string"}}]})",
                .taken = {R"({"a":1})", R"({"a":"x","b":"y"})"},
                .refused = {R"({"a":"x","a")", R"({"a":1,"a")"}});
}

// Where all names are used up no ',' may come, and what only leads to used ones is not begun.
TEST(FreeNames, ThatRunOut) {
  expect_names(
      {.schema = R"({"type":"object","patternProperties":{"^[ab]$":{"type":"integer"}},
                     "additionalProperties":false})",
       .taken = {"{}", R"({"a":1})", R"({"b":1,"a":2})", R"({"a":1, "b":2})"},
       .refused = {R"({"a":1,"a)", R"({"a":1,"b":2,)", R"({"b":1,"b)", R"({"a":1,"b":2 ,)"}});
  expect_names({.schema = R"({"type":"object","propertyNames":{"enum":["x","xy","z"]},
                             "additionalProperties":{"type":"integer"}})",
                .taken = {R"({"xy":1,"x":2,"z":3})", R"({"x":1,"xy":2})"},
                .refused = {R"({"x":1,"xy":2,"x)", R"({"z":1,"xy":1,"xy)", R"({"z":1,"z)",
                            R"({"z":1,"xy":1,"x":2,)"}});
  expect_names({.schema = R"({"type":"object","patternProperties":{"^a+$":{"type":"integer"}},
                             "additionalProperties":false})",
                .taken = {R"({"a":1,"aaa":1,"aa":2})"},
                .refused = {R"({"a":1,"a")", R"({"a":1,"aa":2,"aa")"}});
  expect_names({.schema = R"({"type":"object","patternProperties":{"^(a|b.*)$":{"type":"integer"}},
                             "additionalProperties":false})",
                .taken = {R"({"a":1,"b":1,"ba":2})"},
                .refused = {R"({"a":1,"a)", R"({"b":1,"b")"}});
}

TEST(FreeNames, ThatRunOutBesideListedOnesInAnyOrder) {
  expect_names({.schema = R"({"type":"object","properties":{"x":{"type":"integer"},
                             "y":{"type":"integer"}},"required":["y"],
                             "patternProperties":{"^[ab]$":{"type":"integer"}},
                             "additionalProperties":false})",
                .taken = {R"({"y":1})", R"({"a":1,"y":1,"b":2,"x":3})", R"({"a":1,"b":1,"y":2})"},
                .refused = {R"({"a":1,"y":1,"a)", R"({"a":1,"b":1,"a)", R"({"a":1,"b":1,"y":2,"y)",
                            R"({"a":1,"b":1,"y":2,"x":3,)"},
                .policy = keys_in_any_order()});
}

TEST(FreeNames, Counts) {
  expect_names({.schema = R"({"type":"object","minProperties":2,
                             "additionalProperties":{"type":"integer"}})",
                .taken = {R"({"a":1,"b":2})"},
                .refused = {R"({"a":1})", R"({"a":1,"a")"}});
  expect_names({.schema = R"({"type":"object","minProperties":2,"maxProperties":3,
                     "patternProperties":{"^[abc]$":{"type":"integer"}},
                     "additionalProperties":false})",
                .taken = {R"({"a":1,"c":2})", R"({"a":1,"c":2,"b":3})"},
                .refused = {R"({"a":1})", R"({"a":1,"b":2,"c":3,)"}});
  // Of the listed ones so many must be there that the others are enough.
  expect_names(
      {.schema = R"({"type":"object","minProperties":3,"properties":{
                     "x":{"type":"integer"},"y":{"type":"integer"}},
                     "patternProperties":{"^[ab]$":{"type":"integer"}},
                     "additionalProperties":false})",
       .taken = {R"({"x":1,"a":2,"b":3})", R"({"y":1,"b":2,"a":3})", R"({"x":1,"y":2,"b":3})"},
       .refused = {R"({"a":1)", R"({"b)", R"({"x":1,"a":2})"}});
  expect_names({.schema = R"({"type":"object","maxProperties":1,
                             "additionalProperties":{"type":"integer"}})",
                .taken = {"{}", R"({"a":1})"},
                .refused = {R"({"a":1,)"}});
}

TEST(FreeNames, TooFewOfThemAreNoObject) {
  const auto message = [](const char* schema) {
    const auto made = make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once);
    return made ? "" : made.message();
  };
  for (
      const char* schema :
      {R"({"type":"object","patternProperties":{"^[ab]$":{}},"additionalProperties":false,
            "minProperties":3})",
       R"({"type":"object","propertyNames":{"anyOf":[{"enum":["a","b"]},{"enum":["b","c"]}]},
            "additionalProperties":true,"minProperties":4})",
       // The other name's values are no values.
       R"({"type":"object","patternProperties":{"^a$":{"type":"integer"},"^b$":{"$ref":"#/$defs/b"}},
            "additionalProperties":false,"minProperties":2,"$defs":{"b":{"type":"object",
            "properties":{"b":{"$ref":"#/$defs/b"}},"required":["b"]}}})"}) {
    EXPECT_THAT(message(schema), HasSubstr("no value can satisfy it")) << schema;
  }
  for (const char* schema :
       {R"({"type":"object","propertyNames":{"anyOf":[{"enum":["a","b"]},{"enum":["b","c"]}]},
            "additionalProperties":true,"minProperties":3})",
        R"({"type":"object","additionalProperties":true,"minProperties":100000})",
        R"({"type":"object","patternProperties":{"^[a-z]{2}$":{}},"additionalProperties":false,
            "minProperties":676})"}) {
    EXPECT_EQ(message(schema), "") << schema;
  }
}

/// Whether an object of the text has a name twice.
bool has_repeated_name(const std::string& text) {
  std::map<int, std::set<std::string>> names;
  bool found = false;
  const auto look = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) names[depth + 1].clear();
    if (event == Event::key) found |= !names[depth].insert(parsed.get<std::string>()).second;
    return true;
  };
  const auto parsed = nlohmann::json::parse(text, look);
  EXPECT_FALSE(parsed.is_discarded());
  return found;
}

TEST(FreeNames, TheTestsOwnEyesSeeThem) {
  EXPECT_TRUE(has_repeated_name(R"({"a":1,"a":2})"));
  EXPECT_TRUE(has_repeated_name(R"({"b":{"a":1,"\u0061":2}})"));
  EXPECT_FALSE(has_repeated_name(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})"));
}

/// With few names, so that equal ones would come.
const std::vector<const char*>& narrow_objects() {
  static const std::vector<const char*> all = {
      R"({"type":"object","patternProperties":{"^[ab]$":{"type":"integer","maximum":9}},
          "additionalProperties":false,"minProperties":2})",
      R"({"type":"object","propertyNames":{"maxLength":1},"minProperties":5,
          "additionalProperties":{"type":"null"}})",
      R"({"type":"object","propertyNames":{"pattern":"^[ab]{0,2}$"},"minProperties":6,
          "additionalProperties":{"type":"boolean"}})",
      R"({"type":"object","patternProperties":{"^a+$":{"type":"null"},"^b$":{"type":"boolean"}},
          "additionalProperties":false,"minProperties":4})",
      R"({"type":"object","properties":{"c":{"type":"null"},"x":{"$ref":"#"}},
          "patternProperties":{"^[ab]$":{"$ref":"#"}},"additionalProperties":false})",
      R"({"type":"object","properties":{"name":{"type":"null"}},"minProperties":2,
          "propertyNames":{"enum":["name","age","a,b","a\"","\n"]},
          "additionalProperties":{"enum":[1,12]}})",
      R"({"type":"array","items":{"type":"object","propertyNames":{"enum":["a","ab","b"]},
          "additionalProperties":{"enum":[1,12]},"minProperties":2},"minItems":2})",
      R"({"anyOf":[{"type":"object","propertyNames":{"enum":["a","ab"]},"minProperties":2,
          "additionalProperties":{"enum":[1,12]}},{"type":"object","properties":{"a":{"const":1},
          "b":{"const":12}},"required":["a","b"]}]})",
      R"("json")",
  };
  return all;
}

// At each place the mask is what trying each token says, some token may come, and what was written
// is valid and has no name twice.
TEST(FreeNames, RandomRepliesAreValid) {
  std::mt19937 random(29);
  for (const SchemaPolicy& policy : {SchemaPolicy{}, keys_in_any_order()}) {
    for (const char* text : narrow_objects()) {
      SCOPED_TRACE(text);
      const Json schema = json_from(text);
      const auto grammar = named_grammar(text, policy);
      int n_whole = 0;
      for (int i = 0; i < 30; ++i) {
        const auto reply = random_reply(*grammar, random, i < 6);
        if (HasFatalFailure()) return;
        if (!reply) continue;
        ++n_whole;
        const std::string written = text_of(*reply);
        EXPECT_FALSE(has_repeated_name(written)) << written;
        if (!schema.is_string()) {
          EXPECT_TRUE(SchemaCheck(schema).valid(json_from(written))) << written;
        }
      }
      EXPECT_GE(n_whole, 10);
    }
  }
}

/// The masks of random replies are what the slow matcher says, who compares names himself.
void expect_exact_names(const std::shared_ptr<Grammar>& grammar, std::uint32_t seed) {
  const DenseVocabulary& test = dense();
  std::mt19937 random(seed);
  for (int i = 0; i < 3; ++i) {
    GrammarConstraint constraint(grammar);
    SlowMatcher slow(grammar->automaton());
    std::string written;
    for (int step = 0; step < 30; ++step) {
      std::vector<std::uint64_t> allowed((test.vocabulary->size() + 63) / 64);
      if (random() % 2 == 0) constraint.prepare();
      constraint.allowed_next(allowed);
      std::vector<text::TokenId> all, marks;
      for (std::size_t at = 0; at < test.vocabulary.size(); ++at) {
        const auto token = static_cast<text::TokenId>(at);
        const std::string& piece = test.vocabulary.pieces()[at];
        const bool is_allowed = (allowed[at / 64] >> (at % 64) & 1) != 0;
        ASSERT_EQ(is_allowed, slow.allows(test.trie->spelling(token)))
            << piece << " behind " << written << " in reply " << i;
        if (!is_allowed) continue;
        all.push_back(token);
        if (piece.find_first_of("\":,{}") != std::string::npos) marks.push_back(token);
      }
      ASSERT_FALSE(all.empty());
      const auto& from = marks.empty() || random() % 4 == 0 ? all : marks;
      const text::TokenId token = from[random() % from.size()];
      if (token == test.end) break;
      written += test.vocabulary.pieces()[static_cast<std::size_t>(token)];
      constraint.accept(token);
      slow.accept(test.trie->spelling(token));
    }
  }
}

TEST(FreeNames, MasksAreWhatASlowMatcherSays) {
  std::uint32_t seed = 1;
  for (const SchemaPolicy& policy : {SchemaPolicy{}, keys_in_any_order()}) {
    for (const char* text : narrow_objects()) {
      SCOPED_TRACE(text);
      auto grammar = make_json_grammar(dense().trie, json_from(text), Start::at_once, policy);
      ASSERT_TRUE(grammar) << grammar.message();
      expect_exact_names(grammar.value(), ++seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FreeNames, MasksOfCallsAreWhatASlowMatcherSays) {
  std::uint32_t seed = 1;
  for (
      const char* text :
      {R"({"type":"object","additionalProperties":{"enum":[7,77]}})",
       R"({"type":"object","properties":{"b":{"type":"string"}},
            "additionalProperties":{"enum":[7,"a"]}})",
       R"({"type":"object","propertyNames":{"pattern":"^[ab]{1,2}$"},"minProperties":3,
            "additionalProperties":{"enum":[7,77]}})",
       R"({"type":"object","properties":{"b":{"const":7}},
            "patternProperties":{"^(a|a7)$":{"enum":[7,77]}},"additionalProperties":false})",
       R"({"type":"object","propertyNames":{"enum":["a","a:b","a:",":",""]},"minProperties":3,
            "additionalProperties":{"enum":[7,77]}})",
       R"({"type":"object","properties":{":b":{"const":7}},"propertyNames":{"pattern":"^[ab]?:[ab]$"},
            "additionalProperties":{"enum":[7,":"]}})"}) {
    for (const bool order : {false, true}) {
      SCOPED_TRACE(text);
      const Json tools = json_from(fmt::format(
          R"([{{"type":"function","function":{{"name":"f","strict":true,"parameters":{}}}}}])",
          text));
      auto grammar = make_tool_grammar(dense().trie, tools, {.any_order = order}, Start::at_once);
      ASSERT_TRUE(grammar) << grammar.message();
      expect_exact_names(grammar.value(), ++seed);
      if (HasFatalFailure()) return;
    }
  }
}

text::TokenId piece_of(std::string_view piece) {
  const auto& pieces = test_vocabulary().pieces;
  return static_cast<text::TokenId>(std::ranges::find(pieces, piece) - pieces.begin());
}

// A token may end a name and go on.
TEST(FreeNames, TokensOfSeveralParts) {
  for (const bool is_prepared : {false, true}) {
    GrammarConstraint reply(named_grammar(R"("json")"));
    const auto write = [&](std::string_view piece) {
      ASSERT_TRUE(has(allowed_by(reply), piece_of(piece))) << piece;
      reply.accept(piece_of(piece));
      if (is_prepared) reply.prepare();
    };
    for (const char* piece : {"{\"", "name\":", "1", ",\""}) write(piece);
    EXPECT_FALSE(has(allowed_by(reply), piece_of("name\":")));
    EXPECT_TRUE(has(allowed_by(reply), piece_of("name")));
    write("name");
    for (const char* piece : {"\"", "\":", "\":{\"", "\":[{\""}) {
      EXPECT_FALSE(has(allowed_by(reply), piece_of(piece))) << piece;
    }
    EXPECT_TRUE(has(allowed_by(reply), piece_of("age")));
    write("age");
    EXPECT_TRUE(has(allowed_by(reply), piece_of("\":{\""))) << "nameage";
    write("\":{\"");
    EXPECT_TRUE(has(allowed_by(reply), piece_of("name\":"))) << "of another object";
    for (const char* piece : {"age", "\":", "1", "}", ","}) write(piece);
    EXPECT_FALSE(has(allowed_by(reply), piece_of("\"name\":")));
    EXPECT_FALSE(has(allowed_by(reply), piece_of("\"name\":\"")));
    expect_exact(reply, allowed_by(reply));
  }
}

TEST(FreeNames, AReplyThatIsBegun) {
  const auto grammar = named_grammar(R"("json")");
  GrammarConstraint reply(grammar);
  ASSERT_TRUE(reply.begin_with(R"({"name":1,"b":{"age":2},")"));
  EXPECT_FALSE(has(allowed_by(reply), piece_of("name\":")));
  EXPECT_TRUE(has(allowed_by(reply), piece_of("age")));
  GrammarConstraint wrong(grammar);
  EXPECT_FALSE(wrong.begin_with(R"({"name":1,"name")"));
}

// As calls that are sampled again go on from one.
TEST(FreeNames, ACopyHasThemToo) {
  GrammarConstraint reply(named_grammar(R"("json")"));
  for (const char* piece : {"{\"", "name\":", "1", ",\""}) reply.accept(piece_of(piece));
  const auto copy = reply.copy();
  auto& other = dynamic_cast<GrammarConstraint&>(*copy);
  for (const char* piece : {"age", "\":", "1", ",\""}) other.accept(piece_of(piece));
  EXPECT_FALSE(has(allowed_by(other), piece_of("name\":")));
  other.accept(piece_of("age"));
  EXPECT_FALSE(has(allowed_by(other), piece_of("\":")));
  EXPECT_FALSE(has(allowed_by(reply), piece_of("name\":")));
  reply.accept(piece_of("age"));
  EXPECT_TRUE(has(allowed_by(reply), piece_of("\":")));
}

// What is left where the others are used up comes by itself.
TEST(FreeNames, TheLastNameIsForced) {
  const auto reply = words().json(R"({"type":"object","propertyNames":{"enum":["age","name"]},
                                     "additionalProperties":{"const":1},"minProperties":2})");
  for (const char* piece : {"{", "\""}) words().accept(*reply, piece);
  EXPECT_THAT(words().forced(*reply), IsEmpty());
  for (const char* piece : {"na", "me", "\"", ":", "1", ",", "\""}) {
    words().accept(*reply, piece);
  }
  EXPECT_THAT(words().forced(*reply), ElementsAre("age", "\":"));
}

TEST(FreeNames, ManyOfThem) {
  const auto grammar = named_grammar(R"("json")");
  const auto object = [](int n) {
    std::string text = "{";
    for (int i = 0; i < n; ++i) text += fmt::format("{}\"key{}\":{{\"a\":1}}", i > 0 ? "," : "", i);
    return text;
  };
  EXPECT_FALSE(takes(*grammar, object(1000) + ",\"key7\":1}"));
  EXPECT_TRUE(takes(*grammar, object(2000) + ",\"key7x\":1}"));
}

TEST(FreeNames, NoCommaComesWhereOnlyNamesWithoutAValueAreLeft) {
  const Json schema =
      parse_json(R"({"type": "object", "patternProperties": {"^[ab]$": {"type": "integer"}},
      "additionalProperties": {"$ref": "#/$defs/never"}, "$defs": {"never": {"type": "object",
      "properties": {"n": {"$ref": "#/$defs/never"}}, "required": ["n"]}}})",
                 "a test");
  for (const PropertyOrder order : {PropertyOrder::as_declared, PropertyOrder::any}) {
    const auto made = make_json_grammar(test_vocabulary().trie, schema, Start::at_once,
                                        SchemaPolicy{.order = order});
    ASSERT_TRUE(made) << made.message();
    EXPECT_TRUE(GrammarConstraint(made.value()).begin_with(R"({"a":1,)"));
    EXPECT_TRUE(GrammarConstraint(made.value()).begin_with(R"({"a":1,"b":2})"));
    EXPECT_FALSE(GrammarConstraint(made.value()).begin_with(R"({"a":1,"b":2,)"));
  }
}

}  // namespace
}  // namespace pleiad::constrain
