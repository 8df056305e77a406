#include "text/unicode.h"

#include <gtest/gtest.h>

namespace pleiad::text {
namespace {

TEST(Unicode, StripsWhatPythonStrips) {
  EXPECT_EQ(strip(" \t\n\v\f\r\x1C\x1D\x1E\x1F\u0085\u00A0\u1680\u2003\u2028\u3000 a b \u202F"),
            "a b");
  EXPECT_EQ(strip("\u200Ba\uFEFF"), "\u200Ba\uFEFF");
  EXPECT_EQ(strip(" \xFF "), "\xFF");
  EXPECT_EQ(strip(""), "");
  EXPECT_EQ(strip(" \u3000"), "");
}

TEST(Unicode, ChangesTheCaseOfTheLettersItKnows) {
  EXPECT_EQ(lower("AzÄÖÞ×ΑΩЯЁ日"), "azäöþ×αωяё日");
  EXPECT_EQ(upper("azäöþ÷αςωяё日"), "AZÄÖÞ÷ΑΣΩЯЁ日");
  EXPECT_EQ(upper("\xFF!"), "\xFF!");
}

TEST(Unicode, ReadsAndWritesCharactersOfEveryLength) {
  for (const char32_t c : {U'a', U'é', U'\u07FF', U'\u0800', U'語', U'\uFFFF', U'\U00010000',
                           U'🙂', U'\U0010FFFF'}) {
    std::string text;
    append_utf8(text, c);
    EXPECT_EQ(first_character(text + "x"), c);
    EXPECT_EQ(last_character("x" + text), c);
  }
}

}  // namespace
}  // namespace pleiad::text
