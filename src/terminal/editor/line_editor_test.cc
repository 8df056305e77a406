#include "terminal/editor/line_editor.h"

#include <gtest/gtest.h>

namespace pleiad::terminal {
namespace {

using Event = LineEditor::Event;

class LineEditorTest : public ::testing::Test {
 protected:
  LineEditorTest() {
    editor_.resize(40, 10);
    editor_.begin({"> ", ". "});
    editor_.draw();
  }
  /// Bytes as a terminal sends them; the last event.
  Event type(std::string_view bytes) {
    Event last = Event::none;
    keys_.push(bytes);
    while (const auto key = keys_.next()) last = editor_.handle(*key);
    return last;
  }

  LineHistory history_{{"first", "two\nlines", "/set think"}};
  KeyReader keys_;
  LineEditor editor_{history_, [](std::string_view before) {
                       if (before == "/s") return Completions{0, {"/save", "/set", "/show"}};
                       if (before == "/sa") return Completions{0, {"/save"}};
                       return Completions{};
                     }};
};

TEST_F(LineEditorTest, DrawsWhatChanges) {
  type("ab");
  EXPECT_EQ(editor_.draw().bytes, "ab");
  type("c");
  EXPECT_EQ(editor_.draw().bytes, "c");
  type("\x7f");
  EXPECT_EQ(editor_.draw().bytes, "\r> ab\x1b[K");
  type("\n日");
  EXPECT_EQ(editor_.draw().bytes, "\r\n. 日");
  type("\x1b[A");  // as far to the right as in the line below
  EXPECT_EQ(editor_.draw().bytes, "\x1b[1A");
  EXPECT_EQ(type("\r"), Event::submitted);
  EXPECT_EQ(editor_.text(), "ab\n日");
  EXPECT_EQ(editor_.leave().bytes, "\r\n\r\x1b[4C\r\n");
}

TEST_F(LineEditorTest, APasteIsOneMessageThatEnterSends) {
  std::string pasted;
  for (int i = 0; i < 40; ++i) pasted += "line\t" + std::to_string(i) + "\n";
  pasted += "```\nnever closed";
  EXPECT_EQ(type("\x1b[200~" + pasted + "\x1b[201~"), Event::none);
  EXPECT_EQ(type("\r"), Event::submitted);
  EXPECT_EQ(editor_.text(), pasted);
}

TEST_F(LineEditorTest, WhatATerminalObeysIsDrawnAsText) {
  type("\x1b[200~a\x1b]0;x\x07\x1b[201~");
  const std::string drawn = editor_.draw().bytes;
  EXPECT_EQ(drawn, "a\\x1b]0;x\\x07");
  type("\r");
  EXPECT_EQ(editor_.text(), "a\x1b]0;x\x07");
}

TEST_F(LineEditorTest, ATextLongerThanTheScreenShowsTheRowsAroundItsCursor) {
  std::string text = "0";
  for (int i = 1; i < 30; ++i) text += "\n" + std::to_string(i);
  type("\x1b[200~" + text + "\x1b[201~");
  std::string drawn = editor_.draw().bytes;
  EXPECT_EQ(drawn.find(". 19\x1b"), std::string::npos);
  EXPECT_NE(drawn.find(". 20"), std::string::npos);
  EXPECT_NE(drawn.find(". 29"), std::string::npos);
  for (int i = 0; i < 29; ++i) type("\x1b[A");
  drawn = editor_.draw().bytes;
  EXPECT_NE(drawn.find("> 0"), std::string::npos);
  type("\x1b[1;5DX");
  // What is left there is all of it.
  type("\r");
  drawn = editor_.leave().bytes;
  EXPECT_NE(drawn.find("> X0\r\n. 1\r\n. 2\r\n"), std::string::npos);
  EXPECT_NE(drawn.find(". 29\r\n"), std::string::npos);
}

TEST_F(LineEditorTest, HistoryHasWholeMessagesAndComesBackToTheDraft) {
  type("draft");
  type("\x1b[A");
  EXPECT_EQ(editor_.text(), "/set think");
  type("\x1b[A");
  EXPECT_EQ(editor_.text(), "two\nlines");
  type("\x1b[A");  // within the message
  EXPECT_EQ(editor_.text(), "two\nlines");
  type("\x1b[A");
  EXPECT_EQ(editor_.text(), "first");
  type("\x1b[B\x1b[B\x1b[B\x1b[B");
  EXPECT_EQ(editor_.text(), "draft");
}

TEST_F(LineEditorTest, ChangedEntriesStayChangedForOneMessage) {
  type("draft\x1b[A!\x1b[A?\x1b[B");
  EXPECT_EQ(editor_.text(), "/set think!");
  type("\x1b[A");
  EXPECT_EQ(editor_.text(), "two\nlines?");
  type("\x1b[B\x1b[B");
  EXPECT_EQ(editor_.text(), "draft");
  EXPECT_EQ(type("\x1b[A\r"), Event::submitted);
  editor_.begin({"> ", ". "});
  type("\x1b[A");
  EXPECT_EQ(editor_.text(), "/set think");
}

TEST_F(LineEditorTest, ASearchLeavesTheDraftWhereItWas) {
  type(
      "draft\x12"
      "think\x01");
  EXPECT_EQ(editor_.text(), "/set think");
  type("\x1b[B");
  EXPECT_EQ(editor_.text(), "draft");
}

TEST_F(LineEditorTest, APromptLeavesAColumnForTheText) {
  editor_.resize(8, 10);
  editor_.begin({"result of weather> ", ". "});
  type("ab");
  EXPECT_EQ(editor_.draw().bytes, "result a\r\nb");
}

TEST_F(LineEditorTest, ACursorBetweenWhatWasJoinedIsDrawnBeforeIt) {
  type("x👩💻\x1b[D");
  type("\u200D");
  editor_.draw();
  type("\x1b[C\x1b[D\x1b[D");
  editor_.draw();
  const std::size_t joined = std::string("x👩\u200D").size();
  const EditLayout layout = lay_out("x👩\u200D💻", joined, {"> ", ". "}, 40);
  EXPECT_EQ(layout.cursor_row, 0U);
  EXPECT_EQ(layout.cursor_column, 3);
}

TEST_F(LineEditorTest, SearchesTheHistory) {
  type(
      "\x12"
      "in");
  EXPECT_EQ(editor_.text(), "/set think");
  type("\x12");
  EXPECT_EQ(editor_.text(), "two\nlines");
  EXPECT_EQ(type("\r"), Event::submitted);
  EXPECT_EQ(editor_.text(), "two\nlines");
}

TEST_F(LineEditorTest, CompletesAndLists) {
  type("/s\t");
  EXPECT_NE(editor_.draw().bytes.find("/save  /set   /show"), std::string::npos);
  EXPECT_EQ(editor_.text(), "/s");
  type("a\t");
  EXPECT_EQ(editor_.text(), "/save");
  type(
      "\x15"
      "x\t");
  EXPECT_EQ(editor_.text(), "x\t");
}

TEST_F(LineEditorTest, ControlKeysMeanWhatTheyDoElsewhere) {
  EXPECT_EQ(type("a\x03"), Event::interrupted);
  editor_.begin({"> ", ". "});
  EXPECT_EQ(type("\x04"), Event::ended);
  EXPECT_EQ(type("ab\x01\x04"), Event::none);
  EXPECT_EQ(editor_.text(), "b");
  EXPECT_EQ(type("\x1a"), Event::suspended);
}

TEST_F(LineEditorTest, AnotherWidthDrawsAnew) {
  type("abcdefghijkl");
  editor_.draw();
  EXPECT_EQ(editor_.resize(10, 10).bytes, "\x1b[1A\r\x1b[J");
  EXPECT_EQ(editor_.draw().bytes, "> abcdefgh\r\nijkl");
}

}  // namespace
}  // namespace pleiad::terminal
