#include "constrain/texts/pattern.h"

#include <gmock/gmock.h>

#include <regex>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/testing/sanitizers.h"
#include "constrain/texts/dfa_test_data.h"
#include "text/unicode.h"

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

struct PatternCase {
  const char* pattern;
  const char* found;  // a bit for each text
};
constexpr PatternCase kPatternCases[] = {
#include "constrain/texts/pattern_test_cases.inl"
};

TEST(Pattern, LooksAheadAndAroundAsPythonDoes) {
  const std::vector<std::string> texts = all_texts("ab-\"", 4);
  for (const auto& [pattern, found] : kPatternCases) {
    const Result<Dfa> json = dfa_of(Syntax::json, pattern, {});
    const Result<Dfa> raw = dfa_of(Syntax::call, pattern, {});
    ASSERT_TRUE(json.ok() && raw.ok()) << pattern << ": " << json.message();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const char digit = found[i / 4];
      const int bits = digit <= '9' ? digit - '0' : digit - 'a' + 10;
      const bool expected = (bits >> i % 4 & 1) != 0;
      ASSERT_EQ(accepts(json.value(), inside(texts[i])), expected) << pattern << " in " << texts[i];
      ASSERT_EQ(accepts(raw.value(), texts[i]), expected) << pattern << " in " << texts[i];
    }
  }
}

TEST(Pattern, AWordsCharactersAreAsciiAndWrittenAsOne) {
  // An escape's letters, and the bytes of others, are none.
  const Dfa bounded = dfa_of(Syntax::json, "^a\\b.\\ba$", {}).value();
  for (const char* text : {"a\\ta", "a\\u0001a", "a\\\"a", "aéa", "a😀a", "a-a"}) {
    EXPECT_TRUE(accepts(bounded, text)) << text;
  }
  EXPECT_FALSE(accepts(bounded, "aba"));
  EXPECT_FALSE(accepts(bounded, "a_a"));
  const Dfa open = dfa_of(Syntax::json, "^.\\B.$", {}).value();
  for (const char* text : {"\\t\\f", "é-", "\\u001fé", "Z9"})
    EXPECT_TRUE(accepts(open, text)) << text;
  for (const char* text : {"\\ta", "a\\t", "éa", "aé"}) EXPECT_FALSE(accepts(open, text)) << text;
}

TEST(Pattern, KnowsAmidAnEscapeWhatStandsBeforeIt) {
  // Where the first look-ahead is found nothing is left to read of it, while the second reads on.
  for (const auto& [boundary, expected] : {std::pair{"\\b", true}, std::pair{"\\B", false}}) {
    const std::string pattern =
        std::string("^(?=(?:(?=[^]*q)|(?=[^]*w)\\n") + boundary + "z))[^]*$";
    EXPECT_EQ(accepts(dfa_of(Syntax::json, pattern, {}).value(), "\\nzw"), expected) << pattern;
  }
}

TEST(Pattern, TwoHalvesOfACharacterAreOne) {
  const Dfa smile = dfa_of(Syntax::json, "^\\uD83D\\uDE00$", {}).value();
  EXPECT_TRUE(accepts(smile, "😀"));
  EXPECT_FALSE(accepts(smile, "😁"));
  const Dfa range = dfa_of(Syntax::json, "^[\\uD83D\\uDE00-\\uD83D\\uDE4F]+$", {}).value();
  EXPECT_TRUE(accepts(range, "😀😁"));
  EXPECT_FALSE(accepts(range, "a"));
  EXPECT_FALSE(dfa_of(Syntax::json, "^\\u{0000041X$", {}).ok());
  EXPECT_FALSE(dfa_of(Syntax::json, "^\\u{41$", {}).ok());
}

TEST(Pattern, LooksAheadAtCharactersNotBytes) {
  const Dfa dfa = dfa_of(Syntax::json, "^(?:(?!é|日本|\").)*$", {}).value();
  for (const char* text : {"", "日", "日x本", "ê", "\\\\"}) EXPECT_TRUE(accepts(dfa, text)) << text;
  for (const char* text : {"é", "x日本", "\\\""}) EXPECT_FALSE(accepts(dfa, text)) << text;
}

TEST(Pattern, CountsCharactersBesideWhatIsPromised) {
  const Dfa dfa = dfa_of(Syntax::json, "é(?!.*x)", {.need = 2, .room = 3}).value();
  EXPECT_TRUE(accepts(dfa, "éé"));
  EXPECT_TRUE(accepts(dfa, "xé日"));
  EXPECT_FALSE(accepts(dfa, "éax"));
  EXPECT_FALSE(accepts(dfa, "é"));
  EXPECT_FALSE(accepts(dfa, "éaaa"));
}

// Other dialects read them as classes, and as characters by their octal numbers.
TEST(Pattern, WhatDialectsReadApartIsRefused) {
  EXPECT_EQ(dfa_of(Syntax::json, "^[[:alpha:]]+$", {}).message(),
            "'[:alpha:]', a class of POSIX, is not supported");
  EXPECT_EQ(dfa_of(Syntax::json, "^[^_[:^space:]]$", {}).message(),
            "'[:space:]', a class of POSIX, is not supported");
  EXPECT_THAT(dfa_of(Syntax::json, "^\\01$", {}).message(),
              testing::StartsWith("'\\01' is not supported: '\\x' and two"));
  for (const char* pattern : {"^[[:x:]$", "^[:alph]$", "^[[:]$", "^[a\\0]$"}) {
    EXPECT_TRUE(dfa_of(Syntax::json, pattern, {}).ok()) << pattern;
  }
}

TEST(Pattern, TakesTheDurationsOfIso8601) {
  const Dfa dfa = dfa_of(Syntax::json,
                         "^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?"
                         "(\\d+M)?(\\d+([.,]\\d+)?S)?)?)$",
                         {})
                      .value();
  for (const char* text : {"P3W", "P1Y", "P1Y2M3DT4H5M6.7S", "PT1S", "P12DT0,5S"}) {
    EXPECT_TRUE(accepts(dfa, text)) << text;
  }
  for (const char* text : {"P", "PT", "P1YT", "P1Y3W", "1Y", "P1D2M", "PT.5S", "PTH"}) {
    EXPECT_FALSE(accepts(dfa, text)) << text;
  }
}

std::string many(int n, const auto& part) {
  std::string out;
  for (int i = 1; i <= n; ++i) out += part(std::to_string(i));
  return out;
}

TEST(Pattern, LooksThatTakeTooMuchAreRefusedByTheirCost) {
  for (const std::string& pattern :
       {// More sets of promises than there may be states.
        std::string("^(?:(?=.*a.{20}b)a|b)*$"),
        "^(?:" + many(30, [](const std::string& n) { return "a(?=.*x.{" + n + "}y)|"; }) + "b)*$",
        // A look-ahead of too many states, and too many of many.
        std::string("(?:(?=(?:a|b)*a(?:a|b){30}$)(?:ab|ba|a)*)$"),
        "(?:" + many(400, [](const std::string& n) { return "(?!.{" + n + "}x)"; }) + "a)*",
        // Many of large automata that come to small ones, and empty ways.
        "^(?:" + many(1000, [](const std::string&) { return "(?=a(?:(?:|){1000}){6})|"; }) + ")",
        std::string("^(?:(?:|||||||||){600}[acegikmoqsuwy])*[aceg](?:[acegikmoqsuwy]"
                    "(?:|||||||||){60}){11}$"),
        // Promises upon promises.
        "^" + many(500, [](const std::string&) { return "(?:(?=a.*)|b)"; }) + "$"}) {
    std::size_t work = kPatternWork;
    const Result<Dfa> dfa = pattern_dfa(Syntax::json, pattern, {}, work);
    ASSERT_FALSE(dfa.ok()) << pattern;
    EXPECT_EQ(dfa.message(), "it is too large") << pattern;
  }
}

/// A class that is repeated is worked out once, and what fewer promises led to is not followed
/// again: these took tens of seconds, and are accepted within the work of a call that is checked.
TEST(Pattern, RepeatedClassesAndChoicesOfLooksTakeLittle) {
  std::string odd = "^(?:[";
  for (char32_t c = 0x10000; c < 0x10000 + 4000; c += 2) text::append_utf8(odd, c);
  std::string letters;
  for (char c = 'a'; c < 'm'; ++c) letters.append("(?=.*").append(1, c).append(")|");
  for (const std::string& pattern : {odd + "]a){100}$", "^(?:" + letters + ".)*q$"}) {
    std::size_t work = kPatternWork / 50;
    EXPECT_TRUE(pattern_dfa(Syntax::json, pattern, {}, work).ok()) << pattern.substr(0, 40);
    EXPECT_GT(work, kPatternWork / 100) << pattern.substr(0, 40);
  }
}

/// It makes no states, but is gone through as often as it is repeated.
TEST(Pattern, PartsThatReadNothingArePaidFor) {
  const std::string nothing = many(1000, [](const std::string&) { return "()"; });
  std::size_t work = kPatternWork / 50;
  const auto dfa =
      pattern_dfa(Syntax::json, "(?:(?:(?:" + nothing + "){1000}){1000}){20}", {}, work);
  ASSERT_FALSE(dfa.ok());
  EXPECT_EQ(dfa.message(), "it is too large");
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
       {"(?<=a)b", "(?<!a)b", "(a)\\1",         "\\pL",   "*a",   "a^b",     "a**",  "(a",
        "a)",      "[a",      "[b-a]",          "a{3,2}", "a{x}", "a{1001}", "a\\",  "\\u12",
        "^*",      "(?=a)*",  "\\b?",           "(?=a",   "(?!a", "a(?=^)b", "(?!)", "a(?!b)b",
        "\xFF",    "a\\bb",   "(a{1000}){1000}"}) {
    EXPECT_FALSE(dfa_of(Syntax::json, pattern, {}).ok()) << pattern;
  }
}

}  // namespace
}  // namespace pleiad::constrain
