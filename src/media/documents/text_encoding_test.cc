#include "media/documents/text_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

Result<DecodedText> decoded(std::string_view text) {
  return decode_text(std::as_bytes(std::span(text)));
}

std::string text_of(std::string_view bytes) { return decoded(bytes).value().text; }

TEST(DecodeText, KeepsUtf8) {
  for (const char* text : {"", "plain\n", "\ttab", "Grüße, 世界 🙂\n",
                           "a\u00A0"
                           "b"}) {
    const auto result = decoded(text);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.value().text, text);
    EXPECT_THAT(result.value().warnings, IsEmpty());
  }
}

TEST(DecodeText, DropsAByteOrderMark) {
  EXPECT_EQ(text_of("\xEF\xBB\xBF"
                    "a"),
            "a");
}

TEST(DecodeText, MakesAllEndsOfLinesOneKind) {
  EXPECT_EQ(text_of("a\r\nb\rc\n\r\n\rd\fe\vf\xC2\x85g"), "a\nb\nc\n\n\nd\ne\nf\ng");
}

TEST(DecodeText, ReadsUtf16ByItsMark) {
  EXPECT_EQ(text_of("\xFF\xFE"
                    "a\0\xE4\0\x3D\xD8\x42\xDE"s),
            "aä🙂");
  EXPECT_EQ(text_of("\xFE\xFF\0a\0\xE4\xD8\x3D\xDE\x42"s), "aä🙂");
  const auto broken = decoded(
      "\xFF\xFE\x3D\xD8"
      "a\0b"s);
  EXPECT_EQ(broken.value().text, "\uFFFDa\uFFFD");
  EXPECT_THAT(broken.value().warnings,
              ElementsAre("2 characters are not valid and are shown as U+FFFD"));
}

// The characters of Unicode's table of cp1252.
TEST(DecodeText, ReadsWhatIsNotUtf8AsWindows1252AndSaysSo) {
  const auto result = decoded("caf\xE9 \x80 5 \x93quoted\x94 \x96 na\xEFve");
  EXPECT_EQ(result.value().text, "café € 5 “quoted” – naïve");
  ASSERT_EQ(result.value().warnings.size(), 1U);
  EXPECT_THAT(result.value().warnings[0],
              HasSubstr("byte 3 is 0xE9) and was read as Windows-1252"));
}

TEST(DecodeText, ReadsDamagedUtf8AsWhatIsLeftOfIt) {
  const auto cut = decoded("Grüße aus Köln, \xE4\xB8");
  EXPECT_EQ(cut.value().text, "Grüße aus Köln, \uFFFD\uFFFD");
  EXPECT_THAT(cut.value().warnings,
              ElementsAre("2 characters are not UTF-8 and are shown as U+FFFD"));
}

TEST(DecodeText, LeavesControlCharactersOutAndSaysSo) {
  const auto result = decoded("\x1b[31mred\x1b[0m\x7f\xC2\x9B!");
  EXPECT_EQ(result.value().text, "[31mred[0m!");
  EXPECT_THAT(result.value().warnings, ElementsAre("4 control characters were left out"));
}

TEST(DecodeText, RefusesWhatIsNoText) {
  EXPECT_EQ(decoded("text\0more"s).message(), "is not text: byte 4 is 0");
  EXPECT_EQ(decoded("\x89PNG\x01").message(),
            "is not text: byte 0 is no UTF-8, and there are control characters");
  EXPECT_THAT(decoded("\xFF\xFE\0\0a\0\0\0"s).message(), HasSubstr("UTF-32"));
}

TEST(DecodeText, TellsTextByItsBeginningWhereverThatIsCut) {
  for (std::size_t before = 65'530; before < 65'540; ++before) {
    const std::string long_text = std::string(before, 'a') + "世界世界" + std::string(100, 'b');
    EXPECT_TRUE(begins_as_text(std::as_bytes(std::span(long_text)))) << before;
  }
  const std::string binary = "a\0b"s;
  EXPECT_FALSE(begins_as_text(std::as_bytes(std::span(binary))));
}

}  // namespace
}  // namespace pleiad::media
