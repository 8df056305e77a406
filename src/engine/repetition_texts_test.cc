// Texts that repeat much and yet say something, and texts that only repeat: as the demo model's
// tokenizer cuts them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/repetition_watch.h"
#include "engine/testing/demo_tokenizer.h"
#include "text/testing/piece_vocabulary.h"

namespace pleiad {
namespace {

using testing_support::demo_tokenizer;

bool repeats(const std::string& text) {
  RepetitionWatch watch(demo_tokenizer().vocabulary());
  for (const text::TokenId token : demo_tokenizer().encode_text(text)) {
    if (!watch.push(token)) return true;
  }
  return false;
}

/// The lines of a text, made one by one.
std::string lines(int n, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; i < n; ++i) text += line(i) + "\n";
  return text;
}

std::string times(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

std::string list_of(int n, const std::string& text, const std::string& separator) {
  return times(n - 1, text + separator) + text;
}

struct Sample {
  std::string name;
  std::string text;
};

std::vector<Sample> tables() {
  return {
      {"a table of squares",
       "| n | n² | n³ |\n|---|---|---|\n" +
           lines(200, [](int n) { return fmt::format("| {} | {} | {} |", n, n * n, n * n * n); })},
      {"a table that is to be filled in",
       "| Day | Task | Done |\n|---|---|---|\n" +
           lines(60, [](int n) { return fmt::format("| {} |  |  |", n + 1); })},
      {"an empty table",
       "| A | B | C | D |\n|---|---|---|---|\n" + times(40, "|   |   |   |   |\n")},
      {"a timetable", lines(120,
                            [](int n) {
                              return fmt::format("{:02}:{:02}  Platform {}  on time", 6 + n / 8,
                                                 n % 8 * 7, n % 3 + 1);
                            })},
      {"rows of CSV with one value",
       "id,state,count\n" + lines(300, [](int n) { return fmt::format("{},ok,0", n); })},
      {"inserts of SQL", lines(80,
                               [](int n) {
                                 return fmt::format(
                                     "INSERT INTO users (id, name, active) VALUES ({}, 'user', "
                                     "TRUE);",
                                     n);
                               })},
      {"a table of LaTeX", lines(60, [](int n) { return fmt::format("{} & 0 & 0 & 0 \\\\", n); })},
      {"a log", lines(150,
                      [](int n) {
                        return fmt::format("2026-03-0{} 12:{:02}:00 INFO heartbeat ok", 1 + n / 60,
                                           n % 60);
                      })},
  };
}

std::vector<Sample> code() {
  return {
      {"cases of a switch", lines(120,
                                  [](int n) {
                                    return fmt::format(
                                        "    case {}:\n      return name_{};\n      "
                                        "break;",
                                        n, n);
                                  })},
      {"equal assertions", times(40, "  assert result == expected\n")},
      {"closing braces",
       lines(40,
             [](int n) { return std::string(static_cast<std::size_t>(2 * (40 - n)), ' ') + "}"; })},
      {"empty functions", lines(100, [](int n) { return fmt::format("void f{}() {{}}", n); })},
      {"an array of zeros", "int zeros[400] = {" + list_of(400, "0", ", ") + "};"},
      {"a table of bytes", lines(32, [](int) { return times(16, "0x00, "); })},
      {"a dump of zeros",
       lines(60, [](int n) { return fmt::format("{:08x}  ", n * 16) + list_of(16, "00", " "); })},
      {"no operations", times(100, "    nop\n")},
      {"a program of eight signs", times(600, "+") + "[>" + times(70, "+") + "<-]>."},
      {"rules of CSS", lines(60,
                             [](int n) {
                               return fmt::format(
                                   ".m-{0} {{ margin: {0}px; }}\n.p-{0} {{ "
                                   "padding: {0}px; }}",
                                   n);
                             })},
      {"equal rows of HTML", times(40, "<tr><td></td><td></td></tr>\n")},
      {"a separator in comments", times(8, "// " + std::string(77, '-') + "\n")},
  };
}

std::vector<Sample> numbers() {
  return {
      {"counting to 1000", lines(1000, [](int n) { return fmt::format("{}", n + 1); })},
      {"counting in a line",
       [] {
         std::string text;
         for (int n = 1; n <= 500; ++n) text += fmt::format("{}, ", n);
         return text;
       }()},
      {"counting down in words",
       lines(99,
             [](int n) {
               return fmt::format(
                   "{0} bottles of milk on the wall, {0} bottles of milk. Take one "
                   "down, pass it around.",
                   99 - n);
             })},
      {"a third", "0." + times(900, "3")},
      {"a seventh", "0." + times(150, "142857")},
      {"a large power of ten", "1" + times(1000, "0")},
      {"a matrix of zeros", lines(20, [](int) { return list_of(20, "0", " "); })},
      {"a matrix of zeros as JSON",
       "[" + list_of(20, "[" + list_of(20, "0", ", ") + "]", ", ") + "]"},
      {"a grid of squares", lines(36, [](int) { return times(36, "⬜"); })},
      {"a matrix of booleans",
       "[" + list_of(16, "[" + list_of(16, "false", ", ") + "]", ", ") + "]"},
      {"one hot", lines(24,
                        [](int n) {
                          std::string row;
                          for (int i = 0; i < 24; ++i) row += i == n ? "1 " : "0 ";
                          return row;
                        })},
      {"bits", lines(256, [](int n) { return fmt::format("{:08b}", n); })},
      {"a table of products", lines(144,
                                    [](int n) {
                                      return fmt::format("{} x {} = {}", n / 12 + 1, n % 12 + 1,
                                                         (n / 12 + 1) * (n % 12 + 1));
                                    })},
  };
}

std::vector<Sample> words() {
  const std::string refrain =
      "Row, row, row the boat\nGently down the stream,\nLa la la la, la la la,\nLa la la la la.\n";
  return {
      {"a song with a refrain", lines(8,
                                      [&](int n) {
                                        return fmt::format(
                                            "The river turns by bend {} and the "
                                            "willow leans a little more.\n\n{}",
                                            n, refrain);
                                      })},
      {"a song of a refrain alone", times(8, refrain + "\n")},
      {"a punishment of forty lines", times(40, "I will not talk in class.\n")},
      {"a litany",
       lines(60, [](int n) { return fmt::format("For the day of {}, we give thanks.", n + 3); })},
      {"laughter", times(120, "ha ") + "!"},
      {"a long cry", "N" + times(400, "o") + "!"},
      {"a list of things to do", times(50, "- [ ] TODO\n")},
      {"questions of a form",
       lines(50, [](int n) { return fmt::format("{}. ______________________", n + 1); })},
      {"lines of a dialogue", lines(40,
                                    [](int n) {
                                      return n % 2 == 0 ? std::string("A: Why?")
                                                        : std::string("B: Because.");
                                    })},
      {"a text that is quoted twice",
       times(3, lines(20,
                      [](int n) {
                        return fmt::format(
                            "Paragraph {} says what it has to say, and no more than that.", n);
                      }))},
      {"smilies", times(200, "😀")},
      {"other letters", times(25, "重要なことなので何度も言います。\n")},
  };
}

std::vector<Sample> data() {
  std::mt19937 random(7);
  const std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  for (int i = 0; i < 6000; ++i) base64 += digits[random() % 64];
  std::string dna;
  for (int i = 0; i < 3000; ++i) dna += "ACGT"[random() % 4];
  return {
      {"base64", base64},
      {"base64 of zeros", times(1024, "A") + "=="},
      {"letters of a genome", dna},
      {"a repeat in a genome", times(120, "CAG")},
      {"objects that differ by a number",
       "[" +
           lines(120,
                 [](int n) {
                   return fmt::format(R"(  {{"id": {}, "name": "item", "tags": [], "price": 0}},)",
                                      n);
                 }) +
           "]"},
      {"objects that are equal",
       "[" + list_of(25, R"({"name": "", "age": null, "email": ""})", ", ") + "]"},
      {"objects over several lines",
       "[\n" + times(16, "  {\n    \"x\": 0,\n    \"y\": 0\n  },\n") + "]"},
      {"nulls", "[" + list_of(250, "null", ", ") + "]"},
      {"a deep list", times(120, "[") + times(120, "]")},
      {"a deep indent",
       lines(60, [](int n) { return std::string(static_cast<std::size_t>(2 * n), ' ') + "- a:"; })},
      {"records of YAML", lines(50, [](int n) { return fmt::format("- id: {}\n  ok: true", n); })},
  };
}

std::vector<Sample> drawings() {
  const std::string wall = "|" + std::string(40, ' ') + "|\n";
  return {
      {"an empty room",
       "+" + std::string(40, '-') + "+\n" + times(30, wall) + "+" + std::string(40, '-') + "+\n"},
      {"a chess board", times(4, list_of(8, ".", " ") + "\n" + list_of(8, "#", " ") + "\n")},
      {"a go board", times(19, list_of(19, "+", " ") + "\n")},
      {"a tree", lines(30,
                       [](int n) {
                         return std::string(static_cast<std::size_t>(30 - n), ' ') +
                                std::string(static_cast<std::size_t>(2 * n + 1), '*');
                       })},
      {"a wave", times(20, "  .-.   .-.   .-.  \n.'   `.'   `.'   `.\n")},
      {"a line", std::string(600, '=')},
      {"a progress bar", "[" + std::string(100, '#') + std::string(100, '.') + "]"},
      {"dots to fill in", times(30, std::string(80, '.') + "\n")},
      {"a frame of boxes", times(12, "┌──┐┌──┐┌──┐\n│  ││  ││  │\n└──┘└──┘└──┘\n")},
  };
}

TEST(RepetitionTexts, WhatSaysSomethingIsLeftAlone) {
  int n = 0;
  for (const auto& samples : {tables(), code(), numbers(), words(), data(), drawings()}) {
    for (const Sample& sample : samples) {
      EXPECT_FALSE(repeats(sample.text)) << sample.name;
      ++n;
    }
  }
  EXPECT_GE(n, 60);
}

// One after the other, as a long reply may have them.
TEST(RepetitionTexts, AllOfItInOneReplyIsLeftAlone) {
  std::string all;
  for (const auto& samples : {tables(), code(), numbers(), words(), data(), drawings()}) {
    for (const Sample& sample : samples) all += sample.name + ":\n\n" + sample.text + "\n\n";
  }
  EXPECT_FALSE(repeats(all));
}

TEST(RepetitionTexts, WhatGoesOnForEverIsFound) {
  const std::vector<Sample> loops = {
      {"a word", " the"},
      {"two words", " no yes"},
      {"an apology", "I'm sorry, I cannot do that. "},
      {"a sentence", "The quick answer is that the answer is quick.\n"},
      {"a heading", "## Step 1\n\nFirst, take the first step.\n\n"},
      {"a mark", "!"},
      {"zeros", "0"},
      {"line breaks", "\n"},
      {"blanks", "    "},
      {"white space of JSON", "\n    \n\t\t\n"},
      {"an object", R"({"name": "item", "value": 1}, )"},
      {"a key", R"("key": {)"},
      {"an empty cell", "|   "},
      {"a smiley", "😀"},
      {"letters of another language", "はい。"},
      {"a call", "def f(x):\n    return f(x)\n\n"},
      {"numbers with commas", "0, 0, 0, 1, "},
      {"a tag", "<div><div></div></div>"},
      {"a paragraph", lines(6,
                            [](int n) {
                              return fmt::format(
                                  "This is sentence {} of what is said again and again and again.",
                                  n);
                            })},
  };
  for (const Sample& loop : loops) {
    const std::size_t n_tokens = demo_tokenizer().encode_text(loop.text).size();
    const auto n = static_cast<int>(12'000 / n_tokens);
    EXPECT_TRUE(repeats("Here it is: " + times(n, loop.text))) << loop.name;
  }
}

// Any text, at any place, from which a model goes on with the last so many characters.
TEST(RepetitionTexts, ALoopIsFoundWhereverItBegins) {
  std::mt19937 random(11);
  const auto samples = words();
  for (int i = 0; i < 60; ++i) {
    const std::string& text = samples[random() % 4].text;
    const std::size_t begin = random() % (text.size() / 2);
    const std::size_t length = 1 + random() % 200;
    const std::string loop = text.substr(begin, length);
    EXPECT_TRUE(repeats(text.substr(0, begin) + times(static_cast<int>(40'000 / length), loop)))
        << loop;
  }
}

TEST(RepetitionTexts, KindsOfTokens) {
  using WordKind = sampling::RepetitionGuard::Kind;
  const text::Tokenizer& tokenizer = demo_tokenizer();
  const auto kind = [&](std::string_view text) {
    return kind_for_repetition(tokenizer.vocabulary(), tokenizer.encode_text(text).at(0));
  };
  EXPECT_EQ(kind("\n"), WordKind::blank);
  EXPECT_EQ(kind("7"), WordKind::others);
  EXPECT_EQ(kind("!"), WordKind::others);
  EXPECT_EQ(kind("x"), WordKind::others);
  EXPECT_EQ(kind(" the"), WordKind::word);
  EXPECT_EQ(kind("é"), WordKind::word);
  EXPECT_EQ(kind("⬜"), WordKind::others);
  EXPECT_EQ(kind("°"), WordKind::others);
  EXPECT_EQ(kind("😀"), WordKind::others);
  EXPECT_EQ(
      kind_for_repetition(tokenizer.vocabulary(), *tokenizer.vocabulary().tag(text::Tag::quote)),
      WordKind::others);
}

// Where the tokenizer has them whole, as those of the released models do.
TEST(RepetitionTexts, ValuesOfDataAreNoWords) {
  using WordKind = sampling::RepetitionGuard::Kind;
  const std::vector<std::string> values = {"true", "\xE2\x96\x81null", "None"};
  const std::vector<std::string> words = {"truer", "nulls"};
  std::vector<std::string> all = values;
  all.insert(all.end(), words.begin(), words.end());
  const text::PieceVocabulary vocabulary(all);
  text::TokenId token = vocabulary.first_other();
  for (const std::string& piece : values) {
    EXPECT_EQ(kind_for_repetition(*vocabulary, token++), WordKind::others) << piece;
  }
  for (const std::string& piece : words) {
    EXPECT_EQ(kind_for_repetition(*vocabulary, token++), WordKind::word) << piece;
  }
}

}  // namespace
}  // namespace pleiad
