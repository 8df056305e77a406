#include "constrain/texts/pattern.h"

#include <gmock/gmock.h>

#include <regex>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/testing/sanitizers.h"
#include "constrain/texts/dfa_test_data.h"

namespace pleiad::constrain {
namespace {

/// All texts of up to `length` of these characters.
std::vector<std::string> all_texts(std::string_view characters, std::size_t length) {
  std::vector<std::string> out = {""};
  for (std::size_t begin = 0; out[begin].size() < length; ++begin) {
    for (const char c : characters) out.push_back(out[begin] + c);
  }
  return out;
}

std::string inside(const std::string& text) {
  const std::string quoted = to_text(Json(text));
  return quoted.substr(1, quoted.size() - 2);
}

Result<Dfa> dfa_of(Syntax syntax, std::string_view pattern, Counter length) {
  std::size_t work = kPatternWork;
  return pattern_dfa(syntax, pattern, length, work);
}

TEST(Pattern, FindsWhatTheStandardLibraryFinds) {
  const std::vector<std::string> texts = all_texts("ab1-\"\\\n", unless_sanitized(5, 4));
  for (const char* pattern : {"a",
                              "^a",
                              "a$",
                              "^$",
                              "",
                              "^a*b+$",
                              "^(a|b1)*$",
                              "^a{2}$",
                              "^a{1,3}b?$",
                              "^a{2,}$",
                              "a.b",
                              "^[^a]*$",
                              "^[ab1]+$",
                              "^[a-b-]+$",
                              "\\d",
                              "^\\D+$",
                              "^\\w+$",
                              "\\W",
                              "^\\s$",
                              "^\\S*$",
                              "^(?:a|b)(?:1|-)$",
                              "^a|b$",
                              "\"",
                              "\\\\",
                              "^[\"\\\\]+$",
                              "^(a?){3}$",
                              "^(a*)*$",
                              "a+?b",
                              "^.$",
                              "^\\n",
                              "^\\x61\\u0062$",
                              "^(|a)$",
                              "(^a$)|(^b1*$)",
                              "(^|b)a",
                              "a(b|$)",
                              "^(a$|b)",
                              "^(?!a)",
                              "^(?!a)[ab]*$",
                              "^(?!a$|b)(?=.*1)[ab1]+$",
                              "^(?!.*ab).*$",
                              "^(?!(a|b)1)(?:a|b)",
                              "[\\d-]b"}) {
    const Result<Dfa> json = dfa_of(Syntax::json, pattern, {});
    const Result<Dfa> raw = dfa_of(Syntax::call, pattern, {});
    ASSERT_TRUE(json.ok() && raw.ok()) << pattern;
    const std::regex expected(pattern);
    for (const std::string& text : texts) {
      const bool found = std::regex_search(text, expected);
      ASSERT_EQ(accepts(json.value(), inside(text)), found) << pattern << " in " << inside(text);
      ASSERT_EQ(accepts(raw.value(), text), found) << pattern << " in " << inside(text);
    }
  }
}

TEST(Pattern, ReadsCharactersNotBytes) {
  const Dfa dfa = dfa_of(Syntax::json, "^[à-ü日]{2}.$", {}).value();
  EXPECT_TRUE(accepts(dfa, "é日😀"));
  EXPECT_TRUE(accepts(dfa, "üàx"));
  EXPECT_FALSE(accepts(dfa, "é日"));
  EXPECT_FALSE(accepts(dfa, "éýx"));
  EXPECT_FALSE(accepts(dfa, "\xC3日x"));
  const Dfa others = dfa_of(Syntax::call, "^[^a-z\\u{1F600}]$", {}).value();
  EXPECT_TRUE(accepts(others, "😁"));
  EXPECT_FALSE(accepts(others, "😀"));
  EXPECT_FALSE(accepts(others, "\xED\xA0\x80"));  // half of a pair
}

TEST(Pattern, CountsCharacters) {
  const Dfa dfa = dfa_of(Syntax::json, "é", {.need = 2, .room = 3}).value();
  EXPECT_TRUE(accepts(dfa, "éé"));
  EXPECT_TRUE(accepts(dfa, "日é\\n"));
  EXPECT_FALSE(accepts(dfa, "é"));
  EXPECT_FALSE(accepts(dfa, "éaaa"));
  EXPECT_FALSE(accepts(dfa, "aaa"));
}

TEST(Pattern, RefusesWhatItDoesNotUnderstand) {
  for (const char* pattern :
       {"(?=a)", "(?!a)",   "(?<=a)b", "(a)\\1", "\\bword", "\\p{L}",          "*a",
        "a^b",   "a**",     "(a",      "a)",     "[a",      "[b-a]",           "a{3,2}",
        "a{x}",  "a{1001}", "a\\",     "\\u12",  "^*",      "(a{1000}){1000}", "\xFF"}) {
    EXPECT_FALSE(dfa_of(Syntax::json, pattern, {}).ok()) << pattern;
  }
}

}  // namespace
}  // namespace pleiad::constrain
