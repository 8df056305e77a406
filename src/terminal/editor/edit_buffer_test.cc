#include "terminal/editor/edit_buffer.h"

#include <gtest/gtest.h>

namespace pleiad::terminal {
namespace {

EditBuffer with(std::string text) {
  EditBuffer buffer;
  buffer.set(std::move(text));
  return buffer;
}

TEST(EditBuffer, MovesAndErasesWhatReadersCallCharacters) {
  EditBuffer buffer = with("ae\u0301日👩\u200d💻");
  buffer.erase_before();
  EXPECT_EQ(buffer.text(), "ae\u0301日");
  EXPECT_TRUE(buffer.move_left());
  buffer.erase_before();
  EXPECT_EQ(buffer.text(), "a日");
  buffer.erase_behind();
  EXPECT_EQ(buffer.text(), "a");
  EXPECT_FALSE(buffer.move_right());
}

TEST(EditBuffer, KillsAndYanks) {
  EditBuffer buffer = with("one two three");
  buffer.kill_word_before();
  buffer.kill_word_before();
  EXPECT_EQ(buffer.text(), "one ");
  buffer.yank();
  EXPECT_EQ(buffer.text(), "one two three");
  buffer = with("a\nbc");
  buffer.kill_line_before();
  EXPECT_EQ(buffer.text(), "a\n");
  buffer.kill_line_before();
  EXPECT_EQ(buffer.text(), "a");
  buffer.move_to(0);
  buffer.kill_line_behind();
  EXPECT_EQ(buffer.text(), "");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "a");
}

TEST(EditBuffer, UndoTakesBackWhatWasTypedInOneGo) {
  EditBuffer buffer;
  buffer.insert("a");
  buffer.insert("b");
  buffer.insert("pasted text");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "ab");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "");
  buffer.undo();
}

TEST(EditBuffer, TransposesAtTheEndAndWithin) {
  EditBuffer buffer = with("ab");
  buffer.transpose();
  EXPECT_EQ(buffer.text(), "ba");
  buffer = with("a日c");
  buffer.move_left();
  buffer.transpose();
  EXPECT_EQ(buffer.text(), "ac日");
  buffer = with("");
  buffer.transpose();
}

}  // namespace
}  // namespace pleiad::terminal
