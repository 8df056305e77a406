#include "constrain/json_constraint.h"

#include <gmock/gmock.h>

#include "constrain/constrain_test_data.h"

namespace pleiad::constrain {
namespace {

std::shared_ptr<Grammar> grammar_of(const Json& format, Start start = Start::at_once) {
  auto grammar = make_json_grammar(test_vocabulary().trie, format, start);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

std::shared_ptr<Grammar> grammar_of(const char* schema) { return grammar_of(Json::parse(schema)); }

TEST(JsonConstraint, AnyObjectIsParsedWhateverTokensAreChosen) {
  const auto grammar = grammar_of(Json("json"));
  std::mt19937 random(1);
  int finished = 0;
  for (int round = 0; round < 200; ++round) {
    const auto reply = random_reply(*grammar, random, round < 20);
    if (HasFatalFailure()) return;
    if (!reply) continue;
    ++finished;
    const Json value = Json::parse(text_of(*reply), nullptr, false);
    EXPECT_TRUE(value.is_object()) << text_of(*reply);
  }
  EXPECT_GT(finished, 150);
}

TEST(JsonConstraint, TakesObjectsInTheUsualStyles) {
  const auto grammar = grammar_of(Json("json"));
  EXPECT_TRUE(takes(*grammar, R"({"a":[1,2.5,-3e10,"x\n\"\u00e9\ud83d\ude00é日本😀",true,null]})"));
  EXPECT_TRUE(takes(*grammar, R"({"a": {"b": []}, "c": {}})"));
  EXPECT_TRUE(takes(*grammar, "{\n  \"a\": [\n    1,\n    2\n  ]\n}"));
  EXPECT_FALSE(takes(*grammar, "[1]"));
  EXPECT_FALSE(takes(*grammar, "{\"a\": 01}"));
  EXPECT_FALSE(takes(*grammar, "{\"a\": \"\\ud83d\"}"));
  EXPECT_FALSE(takes(*grammar, "{\"a\": \"\xC0\x80\"}"));
  EXPECT_FALSE(takes(*grammar, "{  \"a\": 1}"));
}

}  // namespace
}  // namespace pleiad::constrain
