#include "terminal/markdown/markdown_text.h"

#include <gtest/gtest.h>

namespace pleiad::terminal {
namespace {

// Expected sequences are ECMA-48's: 0 plain, 1 bold, 2 dim, 3 italic, 4 underlined, 9 struck, 36
// cyan.
#define PLAIN "\x1b[0m"
#define BOLD "\x1b[0;1m"
#define DIM "\x1b[0;2m"
#define ITALIC "\x1b[0;3m"
#define CODE "\x1b[0;36m"

std::string shown(std::string_view text, TextLook look) {
  MarkdownText whole(look);
  std::string out = whole.push(text).bytes;
  out += whole.finish().bytes;
  // However it is cut.
  for (const std::size_t size : {1U, 2U, 3U, 7U}) {
    MarkdownText pieces(look);
    std::string in_pieces;
    for (std::size_t at = 0; at < text.size(); at += size) {
      in_pieces += pieces.push(text.substr(at, size)).bytes;
    }
    in_pieces += pieces.finish().bytes;
    EXPECT_EQ(in_pieces, out) << "in pieces of " << size << ": " << text;
  }
  return out;
}
std::string markdown(std::string_view text, int columns = 0) {
  return shown(text, {.markdown = true, .columns = columns});
}
std::string plain(std::string_view text, int columns = 0) {
  return shown(text, {.columns = columns});
}

TEST(MarkdownText, ShowsSpansInStyles) {
  EXPECT_EQ(markdown("a **b c** d"), "a " BOLD "b c" PLAIN " d");
  EXPECT_EQ(markdown("an *i* and _j_."), "an " ITALIC "i" PLAIN " and " ITALIC "j" PLAIN ".");
  EXPECT_EQ(markdown("***x***"), "\x1b[0;1;3mx" PLAIN);
  EXPECT_EQ(markdown("~~old~~ ~one~"), "\x1b[0;9mold" PLAIN " ~one~");
  EXPECT_EQ(markdown("**b *i* b**"), BOLD "b \x1b[0;1;3mi" BOLD " b" PLAIN);
  EXPECT_EQ(markdown("call `f(*a, **b)` now"), "call " CODE "f(*a, **b)" PLAIN " now");
  EXPECT_EQ(markdown("`` a`b ``"), CODE "a`b" PLAIN);
  EXPECT_EQ(markdown("**`x`**"), "\x1b[0;1;36mx" PLAIN);
  EXPECT_EQ(markdown("这是**重点**内容"), "这是" BOLD "重点" PLAIN "内容");
  EXPECT_EQ(markdown("\\*not\\* `it"), "*not* `it");
}

TEST(MarkdownText, LeavesWhatIsNoMarkdown) {
  for (const char* text :
       {"2 * 3 * 4 = 24", "2*3*4", "x**2 + y**2", "(2*3)*(4*5)*(6)", "snake_case_name and __init",
        "**never closed", "a * b", "f(*args, **kwargs)", "`open", "_x_y", "5 ~~ 6", "#hashtag",
        "1.5 is a number", "-5 is one too", "https://example.org/_a_/*b", "$\\frac{a}{b}$",
        "C:\\path\\to", "1234567890. no list", "**bold**ly"}) {
    EXPECT_EQ(markdown(text), text);
  }
}

TEST(MarkdownText, ASpanEndsWithItsLine) {
  EXPECT_EQ(markdown("**a\nb**"), "**a\nb**");
  EXPECT_EQ(markdown("*" + std::string(600, 'x') + "*"), "*" + std::string(600, 'x') + "*");
}

TEST(MarkdownText, ShowsHeadingsListsQuotesAndRules) {
  EXPECT_EQ(markdown("# One\n## Two *it*\nx"),
            "\x1b[0;1;4mOne" PLAIN "\n" BOLD "Two \x1b[0;1;3mit" PLAIN "\nx");
  EXPECT_EQ(markdown("- a\n* b\n+ c\n  - d\n12. e\n"), "• a\n• b\n• c\n  • d\n12. e\n");
  EXPECT_EQ(markdown("> a\n>b\n> > c\n"),
            DIM "│ " PLAIN "a\n" DIM "│ " PLAIN "b\n" DIM "│ │ " PLAIN "c\n");
  EXPECT_EQ(markdown("---\n* * *\n--\n", 10),
            DIM "──────────" PLAIN "\n" DIM "──────────" PLAIN "\n--\n");
  EXPECT_EQ(markdown("a\n\nb\r\nc"), "a\n\nb\nc");
}

TEST(MarkdownText, KeepsCodeAndTablesAsTheyAre) {
  const std::string code =
      "if (a) {\n\t**x** = `y` + a_b_c;   // # no heading, and far too long\n}\n";
  EXPECT_EQ(markdown("```c\n" + code + "```\n*i*", 20),
            DIM "```c" PLAIN "\n" + code + DIM "```" PLAIN "\n" ITALIC "i" PLAIN);
  EXPECT_EQ(markdown("~~~\n```\n~~~\n"), DIM "~~~" PLAIN "\n```\n" DIM "~~~" PLAIN "\n");
  EXPECT_EQ(markdown("````\n```\n````\n"), DIM "````" PLAIN "\n```\n" DIM "````" PLAIN "\n");
  EXPECT_EQ(markdown("```\nnever closed *x*"), DIM "```" PLAIN "\nnever closed *x*");
  EXPECT_EQ(markdown("  ```\n  x\n  ```\n"), DIM "  ```" PLAIN "\n  x\n" DIM "  ```" PLAIN "\n");
  EXPECT_EQ(markdown("```x``` y"), CODE "x" PLAIN " y");
  EXPECT_EQ(markdown("> ```\n> a  b\n> ```\n> *c*"),
            DIM "│ ```" PLAIN "\n" DIM "│ " PLAIN "a  b\n" DIM "│ ```" PLAIN "\n" DIM "│ " ITALIC
                "c" PLAIN);
  const std::string table = "| a | **b** |\n|---|---|\n| a longer cell | x_y_z |\n";
  EXPECT_EQ(markdown(table, 12), table);
}

TEST(MarkdownText, WrapsWords) {
  EXPECT_EQ(markdown("one two three four", 10), "one two\nthree four");
  EXPECT_EQ(markdown("one   two three", 9), "one   two\nthree");
  EXPECT_EQ(markdown("**one two three**", 9), BOLD "one two" PLAIN "\n" BOLD "three" PLAIN);
  EXPECT_EQ(markdown("- one two three four", 16), "• one two three\n  four");
  EXPECT_EQ(markdown("> one two three four", 16),
            DIM "│ " PLAIN "one two three\n" DIM "│ " PLAIN "four");
  EXPECT_EQ(markdown("abcdefghijklmnopqrstuvwxyz yz", 12), "abcdefghijkl\nmnopqrstuvwx\nyz yz");
  EXPECT_EQ(markdown("one two ", 40), "one two");
}

TEST(MarkdownText, WrapsWideCharactersByTheirColumns) {
  EXPECT_EQ(markdown("日本語日本語日", 12), "日本語日本語\n日");
  EXPECT_EQ(markdown("日本語日本。", 10), "日本語日\n本。");
  EXPECT_EQ(markdown("e\u0301e\u0301e\u0301 e\u0301e\u0301", 6),
            "e\u0301e\u0301e\u0301 e\u0301e\u0301");
  EXPECT_EQ(markdown("aaaa 👩\u200d💻 b", 9), "aaaa 👩\u200d💻\nb");
}

TEST(MarkdownText, WithoutMarkdownWrapsAlone) {
  EXPECT_EQ(plain("# a **b** `c`\n> d\n---\n* e f", 40), "# a **b** `c`\n> d\n---\n* e f");
  EXPECT_EQ(plain("- one two three four", 16), "- one two three\n  four");
  EXPECT_EQ(plain("```\na b c d e f g h i j\n```", 10), "```\na b c d e f g h i j\n```");
  EXPECT_EQ(plain("a  \n b\tc", 0), "a  \n b\tc");
  EXPECT_EQ(plain("\ta\n-\tb\n  > c"), "\ta\n-\tb\n  > c");
  EXPECT_EQ(plain("\tone two three", 20), "        one two\n        three");
  EXPECT_EQ(plain("a\tb", 40), "a       b");
}

TEST(MarkdownText, WhatATerminalObeysIsShown) {
  EXPECT_EQ(markdown("\x1b[31m **a\x07**"), "\\x1b[31m " BOLD "a\\x07" PLAIN);
  EXPECT_EQ(markdown("```\n\x1b]0;x\x07\xff\n```"),
            DIM "```" PLAIN "\n\\x1b]0;x\\x07\\xff\n" DIM "```" PLAIN);
}

TEST(MarkdownText, TheBaseStyleIsBelowTheOthers) {
  EXPECT_EQ(shown("a **b**\nc", {.markdown = true, .base = kDim}),
            DIM "a \x1b[0;1;2mb" PLAIN "\n" DIM "c" PLAIN);
}

TEST(MarkdownText, HoldsBackNoMoreThanItMust) {
  MarkdownText text({.markdown = true, .columns = 80});
  EXPECT_EQ(text.push("one two").bytes, "one");
  EXPECT_EQ(text.push(" ").bytes, " two");
  EXPECT_EQ(text.push("`a").bytes, "");
  EXPECT_EQ(text.push("` b ").bytes, " " CODE "a" PLAIN " b");
  EXPECT_EQ(text.push("\n```\nx").bytes, "\n" DIM "```" PLAIN "\nx");
  EXPECT_EQ(text.push("y").bytes, "y");
  text.finish();
  EXPECT_EQ(text.push("a *b").bytes, "a");
  EXPECT_EQ(text.finish().bytes, " *b");
}

TEST(MarkdownText, AChangedSizeCountsForTheLinesThatCome) {
  MarkdownText text({.markdown = true, .columns = 8});
  EXPECT_EQ(text.push("one two three four ").bytes, "one two\nthree\nfour");
  text.set_columns(20);
  EXPECT_EQ(text.push("five six ").bytes, " five six");
}

}  // namespace
}  // namespace pleiad::terminal
