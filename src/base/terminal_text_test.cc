#include "base/terminal_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/testing/sanitizers.h"
#include "base/utf8.h"

namespace pleiad {
namespace {

std::string utf8(char32_t c) {
  std::string text;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return text;
}

bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

TEST(Utf8CodePoint, IsTheCharacter) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (is_surrogate(c)) continue;
    ASSERT_EQ(utf8_code_point(utf8(c)), c);
  }
}

/// Every byte and every character, by what the standards say of them: ECMA-48 has C0 and C1,
/// Unicode's PropList.txt has Bidi_Control, of which the three marks have no reach.
TEST(TerminalText, ShowsControlsAndBidirectionalOnesAndNothingElse) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (is_surrogate(c)) continue;
    const bool c0 = c < 0x20 && c != '\t' && c != '\n';
    const bool other = c == 0x7F || (c >= 0x80 && c <= 0x9F) || c == 0x2028 || c == 0x2029 ||
                       (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const std::string wanted = c0      ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
                               : other ? fmt::format("\\u{:04x}", static_cast<unsigned>(c))
                                       : utf8(c);
    ASSERT_EQ(terminal_text("a" + utf8(c) + "b"), "a" + wanted + "b");
  }
}

TEST(TerminalText, ShowsBytesThatAreNoCharacters) {
  for (int byte = 0x80; byte <= 0xFF; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(terminal_text(text), fmt::format("\\x{:02x}", byte));
    EXPECT_EQ(terminal_text(text + "31m"), fmt::format("\\x{:02x}31m", byte));
  }
  EXPECT_EQ(terminal_text("\xC0\x9B"), "\\xc0\\x9b");           // U+001B, too long
  EXPECT_EQ(terminal_text("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(terminal_text("\xE2\x80"), "\\xe2\\x80");           // cut off
  EXPECT_EQ(terminal_text("\xE2\x80\x1B[0m"), "\\xe2\\x80\\x1b[0m");
}

TEST(TerminalText, DisarmsWhatTerminalsObey) {
  EXPECT_EQ(terminal_text("\x1b]52;c;ZXZpbA==\x07"), "\\x1b]52;c;ZXZpbA==\\x07");  // clipboard
  EXPECT_EQ(terminal_text("\x1b]0;title\x1b\\"), "\\x1b]0;title\\x1b\\");          // title
  EXPECT_EQ(terminal_text("\x1bP+q544e\x1b\\"), "\\x1bP+q544e\\x1b\\");   // DCS: it answers
  EXPECT_EQ(terminal_text("\x1b[6n\x1b[c\x05"), "\\x1b[6n\\x1b[c\\x05");  // so here
  EXPECT_EQ(terminal_text("\xC2\x9D"
                          "52;c;x\xC2\x9C"),
            "\\u009d52;c;x\\u009c");
  EXPECT_EQ(terminal_text("good\rbad"), "good\\x0dbad");
  EXPECT_EQ(terminal_text("good\b\b\b\bevil"), "good\\x08\\x08\\x08\\x08evil");
  EXPECT_EQ(terminal_text("/* \xE2\x80\xAE } \xE2\x81\xA6 */"), "/* \\u202e } \\u2066 */");
  const std::string junk(1 << 20, 'A');
  EXPECT_EQ(terminal_text("\x1b]52;c;" + junk + "\x07"), "\\x1b]52;c;" + junk + "\\x07");
}

TEST(TerminalText, LeavesWhatRepliesAreMadeOf) {
  for (const char* text :
       {"", "\tfor x:\n\n\treturn\r\n",
        "👩‍💻 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣",
        "שלום עולם‏, مرحبا", "नमस्ते क्‍ष", "e\xCC\x81 Z̷̢a̶l̵",
        "日本語 − ≠ \xEF\xBB\xBF", "\xEF\xBF\xBD", "C:\\x1b \\u202e"}) {
    EXPECT_EQ(terminal_text(text), text);
  }
}

TEST(TerminalText, OfJsonIsTheSameJson) {
  constexpr char32_t step = unless_sanitized(1, 7);
  std::string all;
  for (char32_t c = 0; c <= 0x10FFFF; c += step) {
    if (!is_surrogate(c)) all += utf8(c);
  }
  const Json json = {{all, {all, 1, "\\\xC2\x9B\\"}}};
  for (const int indent : {-1, 2}) {
    const std::string text = terminal_text(to_text(json, indent));
    EXPECT_EQ(parse_json(text, "text"), json);
    EXPECT_EQ(terminal_text(text), text);
  }
}

TEST(TerminalTextStream, IsTheSameWhereverTheTextIsCut) {
  const std::string text =
      "a\x1b]52;c;x\x07\r\n\r\r\n\rb \xC2\x9B\xE2\x80\xAE\xE2\x80\xF0\x9F\x91\xA9\x9B\xF0\x9F\r";
  const std::string whole = terminal_text(text);
  for (std::size_t size = 1; size <= text.size(); ++size) {
    TerminalTextStream stream;
    for (int round = 0; round < 2; ++round) {  // a stream can be used again
      std::string out;
      for (std::size_t at = 0; at < text.size(); at += size) {
        out += stream.push(std::string_view(text).substr(at, size));
      }
      EXPECT_EQ(out + stream.finish(), whole) << size;
    }
  }
}

TEST(TerminalTextStream, HoldsBackNoMoreThanItMust) {
  TerminalTextStream stream;
  EXPECT_EQ(stream.push("\x1b]0;"), "\\x1b]0;");
  EXPECT_EQ(stream.push("\xF0\x9F\x91"), "");
  EXPECT_EQ(stream.push("\xA9"), "👩");
  EXPECT_EQ(stream.push("x\r"), "x");
  EXPECT_EQ(stream.push(""), "");
  EXPECT_EQ(stream.push("\r"), "\\x0d");
  EXPECT_EQ(stream.push("\n"), "\r\n");
  EXPECT_EQ(stream.push("\xE2\x80"), "");
  EXPECT_EQ(stream.finish(), "\\xe2\\x80");
  EXPECT_EQ(stream.finish(), "");
}

}  // namespace
}  // namespace pleiad
