#include "constrain/grammars/structural_tag.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"

namespace pleiad::constrain::grammars {
namespace {

Json json(const std::string& text) { return parse_json(text, "a test"); }

/// A structural tag of one format, and texts that it takes and refuses.
struct TagCase {
  const char* format;
  std::vector<const char*> taken;
  std::vector<const char*> refused;
};

void expect_as_said(const TagCase& one, const Json& tag) {
  for (const char* text : one.taken) {
    EXPECT_TRUE(takes("structural_tag", tag, text)) << one.format << ": " << text;
  }
  for (const char* text : one.refused) {
    EXPECT_FALSE(takes("structural_tag", tag, text)) << one.format << ": " << text;
  }
}

TEST(StructuralTag, PartsAreReadAsTheyAreWritten) {
  const std::vector<TagCase> cases = {
      {R"~({"type": "const_string", "value": "Go on."})~", {"Go on."}, {"", "Go on"}},
      {R"~({"type": "json_schema", "json_schema": {"type": "integer"}, "style": "json"})~",
       {"12"},
       {"1.5", "x"}},
      {R"~({"type": "grammar", "grammar": "root ::= a a\na ::= \"x\" | \"y\""})~", {"xy"}, {"x"}},
      {R"~({"type": "regex", "pattern": "[A-Z]{2}(?!0)[0-9]"})~", {"AB1"}, {"AB0", "A1"}},
      {R"~({"type": "any_text"})~", {"", "a\n\xC3\xA9"}, {}},
      {R"~({"type": "any_text", "excludes": ["<f"], "max_chars": 3})~",
       {"", "a<\xC3\xA9"},
       {"<f", "abcd"}},
      {R"~({"type": "sequence", "elements": [{"type": "const_string", "value": "A: "},
           {"type": "or", "elements": [{"type": "json_schema", "json_schema": {"type": "boolean"}},
                                       {"type": "const_string", "value": "?"}]}]})~",
       {"A: true", "A: ?"},
       {"A: ", "true"}},
      {R"~({"type": "optional", "content": {"type": "const_string", "value": "x"}})~",
       {"", "x"},
       {"xx"}},
      {R"~({"type": "plus", "content": {"type": "const_string", "value": "x"}})~",
       {"x", "xxx"},
       {""}},
      {R"~({"type": "star", "content": {"type": "const_string", "value": "x"}})~",
       {"", "xx"},
       {"y"}},
      {R"~({"type": "repeat", "min": 1, "max": 2, "content": {"type": "const_string", "value": "x"}})~",
       {"x", "xx"},
       {"", "xxx"}},
      {R"~({"type": "repeat", "min": 2, "max": -1, "content": {"type": "const_string", "value": "x"}})~",
       {"xx", "xxxx"},
       {"x"}},
      // Free text of a tag comes to its end at the first one.
      {R"~({"type": "sequence", "elements": [{"type": "tag", "begin": "<think>",
           "content": {"type": "any_text"}, "end": "</think>"}, {"type": "const_string", "value": "!"}]})~",
       {"<think></think>!", "<think>a < b </thin</think>!"},
       {"<think>a!", "<think></think>x</think>!"}},
      {R"~({"type": "tag", "begin": "[", "content": {"type": "json_schema", "json_schema": {"type": "object"}},
           "end": ["]", ")", ""]})~",
       {"[{}]", "[{\"a\": 1})", "[{}"},
       {"[", "[{}]]"}},
      {R"~({"type": "tags_with_separator", "separator": ", ", "tags": [
           {"begin": "<", "content": {"type": "regex", "pattern": "[a-z]+"}, "end": ">"},
           {"type": "tag", "begin": "(", "content": {"type": "any_text"}, "end": ")"}]})~",
       {"", "<a>", "<a>, (,), <b>"},
       {"<a>,", "<a><b>", "<A>"}},
      {R"~({"type": "tags_with_separator", "separator": ",", "at_least_one": true, "stop_after_first": true,
           "tags": [{"begin": "<", "content": {"type": "regex", "pattern": "a"}, "end": ">"}]})~",
       {"<a>"},
       {"", "<a>,<a>"}},
  };
  for (const TagCase& one : cases) {
    expect_as_said(one, {{"type", "structural_tag"}, {"format", json(one.format)}});
  }
}

constexpr const char* kTags =
    R"~("triggers": ["<f="], "tags": [
         {"type": "tag", "begin": "<f=rain>", "content": {"type": "json_schema", "json_schema":
           {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}, "end": "</f>"},
         {"type": "tag", "begin": "<f=time>", "content": {"type": "any_text"}, "end": "</f>"}])~";

TEST(StructuralTag, TagsComeAmidFreeTextWhereTheirTriggerDoes) {
  const std::string tags = kTags;
  const std::vector<std::pair<std::string, TagCase>> cases = {
      {"",
       {"amid text",
        {"", "It rains. a < b, <f", "I ask: <f=rain>{\"city\": \"Rome\"}</f>",
         "<f=time></f> and <f=time>now</f><f=time>x</f>.", "<<f=time></f>"},
        {"<f=", "a <f=snow>", "<f=rain>{}</f>", "<f=time>now", "<f=rain>{\"city\": 1}</f>"}}},
      {R"~(, "at_least_one": true)~",
       {"one at least",
        {"<f=time></f>", "<f=time></f> then <f=time></f>"},
        {"", "a", "a<f=time></f>"}}},
      {R"~(, "stop_after_first": true)~",
       {"one at most", {"", "a", "a<f=time></f>"}, {"<f=time></f>a", "<f=time></f><f=time></f>"}}},
      {R"~(, "at_least_one": true, "stop_after_first": true)~",
       {"one", {"<f=time></f>"}, {"", "a<f=time></f>", "<f=time></f>a"}}},
      {R"~(, "excludes": ["no"])~",
       {"a word not", {"yes", "<f=time>no</f>"}, {"no", "<f=time></f>no"}}},
  };
  for (const auto& [more, one] : cases) {
    expect_as_said(one, json("{\"format\": {\"type\": \"triggered_tags\", " + tags + more + "}}"));
  }
  // Within another tag they end where that does.
  const std::string inside = R"~({"format": {"type": "tag", "begin": "(", "end": ")",
      "content": {"type": "triggered_tags", )~" +
                             tags + "}}}";
  expect_as_said({"inside", {"(a)", "(a<f=time>)</f>b)"}, {"(a", "(a))", "(<f=)"}}, json(inside));
  // As the older form has them.
  const Json old = json(R"~({"type": "structural_tag", "triggers": ["<f="], "structures": [
      {"begin": "<f=n>", "schema": {"type": "integer"}, "end": "</f>"}]})~");
  expect_as_said({"old", {"", "a <f=n>12</f> b"}, {"<f=n>x</f>", "<f=m>"}}, old);
}

/// All texts of 'a' and 'b' of up to so many.
std::vector<std::string> texts_of_two(std::size_t most) {
  std::vector<std::string> out = {""};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].size() == most) continue;
    out.push_back(out[i] + 'a');
    out.push_back(out[i] + 'b');
  }
  return out;
}

/// Whether the text is a free one and, the first time that one stands there, an end.
bool comes_to_end(const std::string& text, const std::vector<std::string>& ends,
                  const std::vector<std::string>& excluded, std::size_t most) {
  const auto has = [](std::string_view in, const std::string& word) {
    return in.find(word) != std::string_view::npos;
  };
  for (const std::string& end : ends) {
    if (!text.empty() && has(std::string_view(text).substr(0, text.size() - 1), end)) return false;
  }
  for (const std::string& end : ends) {
    if (!text.ends_with(end)) continue;
    const std::string_view free = std::string_view(text).substr(0, text.size() - end.size());
    if (free.size() > most) continue;
    if (std::ranges::none_of(excluded, [&](const auto& word) { return has(free, word); })) {
      return true;
    }
  }
  return false;
}

TEST(StructuralTag, FreeTextOfATagComesToItsFirstEnd) {
  using Words = std::vector<std::string>;
  for (const Words& ends : {Words{"aa"}, Words{"aba"}, Words{"aa", "a"}, Words{"bab", "ab"},
                            Words{"b", "aab"}, Words{"aab", "ba"}}) {
    for (const Words& excluded : {Words{}, Words{"bb"}, Words{"a"}, Words{"aba"}}) {
      for (const std::size_t most : {std::size_t{2}, std::size_t{100}}) {
        Json content = {{"type", "any_text"}, {"excludes", excluded}};
        if (most < 100) content["max_chars"] = most;
        const Json tag = {
            {"format", {{"type", "tag"}, {"begin", ""}, {"content", content}, {"end", ends}}}};
        const auto made = make_reply_grammar(test_vocabulary().trie,
                                             text_grammar("structural_tag", tag), Start::at_once);
        ASSERT_TRUE(made) << made.message();
        for (const std::string& text : texts_of_two(6)) {
          GrammarReply reply(made.value());
          const bool taken = reply.begin_with(text) && reply.allows(test_vocabulary().ends.front());
          EXPECT_EQ(taken, comes_to_end(text, ends, excluded, most))
              << text << " by " << to_text(tag);
        }
      }
    }
  }
}

TEST(StructuralTag, FreeTextMayBeBoundedByThousandsOfCharacters) {
  const Json tag = {{"format",
                     {{"type", "tag"},
                      {"begin", "<think>"},
                      {"content", {{"type", "any_text"}, {"max_chars", 2000}}},
                      {"end", "</think>"}}}};
  const auto of_length = [](std::size_t n) {
    std::string text = "<think>";
    for (std::size_t i = 0; i < n; ++i) text += "\xC3\xA9";
    return text + "</think>";
  };
  EXPECT_TRUE(takes("structural_tag", tag, of_length(2000)));
  EXPECT_FALSE(takes("structural_tag", tag, of_length(2001)));
}

TEST(StructuralTag, WhatIsWrongIsNamedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"~([])~", "expected a structural tag, an object"},
      {R"~({})~", "format: missing"},
      {R"~({"format": {"type": "token", "token": 5}})~", "format.type: \"token\" is not supported"},
      {R"~({"format": {"value": "x"}})~", "format: expected a format, an object with a \"type\""},
      {R"~({"format": {"type": "const_string"}})~", "format.value: missing"},
      {R"~({"format": {"type": "const_string", "value": 1}})~", "format.value: expected a text"},
      {R"~({"format": {"type": "any_text", "max tokens": 5}})~",
       "format[\"max tokens\"]: not supported"},
      {R"~({"format": {"type": "any_text"}, "a/b": 5})~", "[\"a/b\"]: not supported"},
      {R"~({"format": {"type": "any_text"}, "b": 5})~", "b: not supported"},
      {R"~({"format": {"type": "any_text", "max_tokens": 5}})~",
       "format.max_tokens: not supported"},
      {R"~({"format": {"type": "any_text", "max_chars": -1}})~",
       "format.max_chars: expected a whole number"},
      {R"~({"format": {"type": "any_text", "excludes": [""]}})~",
       "format.excludes[0]: expected a text that is not empty"},
      {R"~({"format": {"type": "json_schema", "json_schema": {"type": "x"}}})~",
       "format.json_schema.type: "},
      {R"~({"format": {"type": "json_schema", "json_schema": {}, "style": "qwen_xml"}})~",
       "format.style: other styles than \"json\" are not supported"},
      {R"~({"format": {"type": "grammar", "grammar": "root ::= x"}})~",
       "format.grammar: line 1, column 10: there is no rule \"x\""},
      {R"~({"format": {"type": "regex", "pattern": "("}})~", "format.pattern: line 1, column 1: "},
      {R"~({"format": {"type": "or", "elements": []}})~",
       "format.elements: expected a list that is not empty"},
      {R"~({"format": {"type": "sequence", "elements": [{"type": "star"}]}})~",
       "format.elements[0].content: missing"},
      {R"~({"format": {"type": "repeat", "min": 3, "max": 2, "content": {"type": "any_text"}}})~",
       "format: expected at least 3 times, found at most 2"},
      {R"~({"format": {"type": "tag", "begin": {"type": "token"}, "content": {"type": "any_text"}, "end": "x"}})~",
       "format.begin: expected a text"},
      {R"~({"format": {"type": "tag", "begin": "", "content": {"type": "any_text"}, "end": []}})~",
       "format.end: expected a text, or a list of texts"},
      {R"~({"format": {"type": "triggered_tags", "triggers": ["<g"], "tags": [
           {"begin": "<f", "content": {"type": "any_text"}, "end": ">"}]}})~",
       "format.tags[0].begin: it begins with none of the triggers"},
      {R"~({"format": {"type": "triggered_tags", "triggers": ["<", "<f"], "tags": [
           {"begin": "<f", "content": {"type": "any_text"}, "end": ">"}]}})~",
       "format.tags[0].begin: it begins with several of the triggers; expected one"},
      {R"~({"format": {"type": "triggered_tags", "triggers": ["?", "<f"], "excludes": ["<"], "tags": [
           {"begin": "<f", "content": {"type": "any_text"}, "end": ">"}]}})~",
       "format.triggers[1]: free text never comes to it: "},
      {R"~({"format": {"type": "triggered_tags", "triggers": ["<f", "f"], "tags": [
           {"begin": "f", "content": {"type": "any_text"}, "end": ">"},
           {"begin": "<f", "content": {"type": "triggered_tags", "triggers": ["<g>"], "tags": [
               {"begin": "<g>", "content": {"type": "any_text"}, "end": "."}]}, "end": ">"}]}})~",
       "format.tags[1].content.triggers[0]: free text never comes to it: "},
      {R"~({"type": "structural", "format": {"type": "any_text"}})~",
       "type: expected \"structural_tag\", found \"structural\""},
      {R"~({"type": 1, "structures": [], "triggers": []})~",
       "type: expected \"structural_tag\", found 1"},
      {R"~({"format": {"type": "tags_with_separator", "separator": "", "tags": [
           {"type": "any_text", "begin": "<", "content": {"type": "any_text"}, "end": ">"}]}})~",
       "format.tags[0].type: expected \"tag\", found \"any_text\""},
      {R"~({"format": {"type": "triggered_tags", "triggers": [], "tags": [{}]}})~",
       "format.triggers: expected a list that is not empty"},
      {R"~({"structures": [{"begin": "<f", "end": ">"}], "triggers": ["<"]})~",
       "structures[0].schema: missing"},
      {R"~({"structures": [7], "triggers": ["<"]})~", "structures[0].begin: missing"},
      {R"~({"format": {"type": "any_text", "excludes": [")~" + std::string(5000, 'x') + R"~("]}})~",
       "format: what ends its free text has 5,000 bytes; expected at most 2,048"},
  };
  for (const auto& [tag, problem] : cases) {
    EXPECT_TRUE(problem_with("structural_tag", json(tag)).starts_with(problem))
        << tag << "\n"
        << problem_with("structural_tag", json(tag));
  }
}

TEST(StructuralTag, WhatCostsTooMuchIsRefused) {
  const std::string long_word(2000, 'x');
  Json many = {{"type", "sequence"}, {"elements", Json::array()}};
  for (int i = 0; i < 40; ++i) {
    many["elements"].push_back({{"type", "any_text"}, {"excludes", {long_word}}});
  }
  EXPECT_EQ(problem_with("structural_tag", {{"format", many}}),
            "format.elements[7]: the structural tag is too large: its free texts take too many "
            "states together");
  // Tags amid the free text of tags are read once, however deep they are.
  Json nested = {{"type", "any_text"}};
  for (int i = 0; i < 25; ++i) {
    nested = {{"type", "triggered_tags"},
              {"triggers", {"<"}},
              {"tags", {{{"begin", "<"}, {"content", std::move(nested)}, {"end", ">"}}}}};
  }
  EXPECT_EQ(problem_with("structural_tag", {{"format", nested}}), "");
  Json schemas = {{"type", "sequence"}, {"elements", Json::array()}};
  for (int i = 0; i < 3000; ++i) {
    schemas["elements"].push_back({{"type", "json_schema"}, {"json_schema", Json::object()}});
  }
  EXPECT_TRUE(problem_with("structural_tag", {{"format", schemas}})
                  .ends_with("the schemas of the grammar are too large together"));
  Json huge = {{"type", "const_string"}, {"value", std::string(300'000, 'x')}};
  EXPECT_EQ(problem_with("structural_tag", {{"format", huge}}),
            "the structural tag is larger than 256 KiB");
}

}  // namespace
}  // namespace pleiad::constrain::grammars
