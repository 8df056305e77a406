#include "constrain/texts/unicode_properties.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constrain/texts/dfa_test_data.h"
#include "constrain/texts/pattern.h"

namespace pleiad::constrain {
namespace {

std::size_t n_characters(std::string_view property) {
  const auto ranges = unicode_property(property);
  std::size_t n = 0;
  for (const CodeRange& range : ranges.value_or(std::vector<CodeRange>{})) {
    n += range.last - range.first + 1;
  }
  return n;
}

/// As many as Perl 5.36 and Python 3.11 count in Unicode 14.
TEST(UnicodeProperties, HaveAsManyCharactersAsTheStandardGivesThem) {
  for (const auto& [property, n] : {std::pair<const char*, std::size_t>{"L", 131756},
                                    {"Letter", 131756},
                                    {"General_Category=Letter", 131756},
                                    {"gc=L", 131756},
                                    {"LC", 4089},
                                    {"Lu", 1831},
                                    {"Lowercase_Letter", 2227},
                                    {"Lo", 127333},
                                    {"Mark", 2408},
                                    {"N", 1791},
                                    {"Nd", 660},
                                    {"Punctuation", 819},
                                    {"Po", 605},
                                    {"S", 7741},
                                    {"Currency_Symbol", 63},
                                    {"Z", 19},
                                    {"Zs", 17},
                                    {"Other", 969578},
                                    {"Cc", 65},
                                    {"Cn", 829834},
                                    {"Cs", 2048},
                                    {"Script=Latin", 1475},
                                    {"sc=Grek", 518},
                                    {"Script=Cyrl", 443},
                                    {"Script=Han", 94215},
                                    {"Script=Hiragana", 380},
                                    {"Script=Katakana", 320},
                                    {"Script=Tibetan", 207},
                                    {"Script=Arabic", 1365},
                                    {"Alphabetic", 133396},
                                    {"Alpha", 133396},
                                    {"Lowercase", 2471},
                                    {"Uppercase", 1951},
                                    {"White_Space", 25},
                                    {"Emoji", 1404},
                                    {"Emoji_Component", 146},
                                    {"ExtPict", 3537},
                                    {"Hex_Digit", 44},
                                    {"ASCII", 128},
                                    {"Assigned", 284278},
                                    {"Any", 1114112}}) {
    EXPECT_EQ(n_characters(property), n) << property;
  }
  for (const char* name : {"", "l", "letter", "Latin", "Script", "Script=", "Script=L", "gc=Latin",
                           "gc=Any", "Script_Extensions=Latin", "General_Category=", "InGreek"}) {
    EXPECT_FALSE(unicode_property(name)) << name;
  }
}

struct PropertyCase {
  const char* pattern;
  std::vector<const char*> found;
  std::vector<const char*> others;
};

TEST(UnicodeProperties, ArePartsOfPatterns) {
  for (const auto& [pattern, found, others] : {
           PropertyCase{"^\\p{L}+$", {"aZ", "éЖ日ªß", "𝔄"}, {"", "1", "a_", "a b", "😀"}},
           {"^\\p{Lu}\\p{Ll}{1,40}$", {"Éé", "Жуки"}, {"éé", "É", "AB"}},
           {"^[\\p{Lu}\\p{Nd}_-]+$", {"Ä٣_-"}, {"ä", "½"}},
           {"^[^\\p{L}]$", {"1", "\u0301", "\\t"}, {"a", "日"}},
           {"^\\P{L}$", {"1", "\\\\", "☃"}, {"a", "日", "12"}},
           {"^\\p{Script=Greek}+$", {"αΩ"}, {"a", "Я"}},
           {"^[\\p{Script=Han}\\p{sc=Hira}\\p{sc=Kana}ー]+$", {"日ひカー"}, {"a", "한"}},
           {"^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$",
            {"😀", "👍🏽", "1"},
            {"a", ""}},
           {"^\\p{White_Space}$", {" ", "\\t", "\u3000"}, {"a", "\uFEFF"}},
           {"^\\p{Alphabetic}$", {"Ⓐ", "a"}, {"1"}},
           {"^(?!\\p{Lu}).\\b\\P{ASCII}$", {"aé"}, {"Aé", "éa"}},
       }) {
    std::size_t work = kPatternWork;
    const Result<Dfa> dfa = pattern_dfa(Syntax::json, pattern, {}, work);
    ASSERT_TRUE(dfa.ok()) << pattern << ": " << dfa.message();
    for (const char* text : found) EXPECT_TRUE(accepts(dfa.value(), text)) << pattern << text;
    for (const char* text : others) EXPECT_FALSE(accepts(dfa.value(), text)) << pattern << text;
  }
}

TEST(UnicodeProperties, AreRefusedWhereThereAreTooMany) {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "|\\p{L}";
  EXPECT_EQ(read_pattern(pattern).message(), "it names too many properties");
}

TEST(UnicodeProperties, ThatAreNotKnownAreNamed) {
  std::size_t work = kPatternWork;
  const auto problem = [&](std::string_view pattern) {
    return pattern_dfa(Syntax::json, pattern, {}, work).message();
  };
  EXPECT_TRUE(
      problem("\\p{Script=Linear_A}").starts_with("'\\p{Script=Linear_A}' is not supported"));
  EXPECT_EQ(problem("\\pL"), "'\\p' needs the name of a property in braces");
  EXPECT_EQ(problem("\\P{L"), "'\\p' needs the name of a property in braces");
}

}  // namespace
}  // namespace pleiad::constrain
