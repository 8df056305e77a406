#include "terminal/editor/key_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace pleiad::terminal {
namespace {

using Kind = Key::Kind;

std::vector<Key> keys_of(KeyReader& reader) {
  std::vector<Key> keys;
  while (auto key = reader.next()) keys.push_back(std::move(*key));
  return keys;
}

Kind only_key(std::string_view bytes) {
  // Byte by byte: nothing comes out before the last.
  KeyReader reader;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    reader.push(bytes.substr(i, 1));
    EXPECT_FALSE(reader.next()) << bytes;
    EXPECT_TRUE(reader.is_waiting());
  }
  reader.push(bytes.substr(bytes.size() - 1));
  const std::vector<Key> keys = keys_of(reader);
  EXPECT_EQ(keys.size(), 1U) << bytes;
  EXPECT_FALSE(reader.is_waiting());
  return keys.empty() ? Kind::unknown : keys[0].kind;
}

// What xterm, tmux, VTE, the Linux console and rxvt send.
TEST(KeyReader, KnowsTheKeys) {
  EXPECT_EQ(only_key("\r"), Kind::enter);
  EXPECT_EQ(only_key("\n"), Kind::newline);
  EXPECT_EQ(only_key("\x1b\r"), Kind::newline);
  EXPECT_EQ(only_key("\x1b[13;2u"), Kind::newline);
  EXPECT_EQ(only_key("\x1b[27;2;13~"), Kind::newline);
  EXPECT_EQ(only_key("\x7f"), Kind::backspace);
  EXPECT_EQ(only_key("\x08"), Kind::backspace);
  EXPECT_EQ(only_key("\x1b[3~"), Kind::erase);
  EXPECT_EQ(only_key("\x1b[A"), Kind::up);
  EXPECT_EQ(only_key("\x1bOA"), Kind::up);
  EXPECT_EQ(only_key("\x1b[1;5C"), Kind::word_right);
  EXPECT_EQ(only_key("\x1b[1;3D"), Kind::word_left);
  EXPECT_EQ(only_key("\x1b"
                     "b"),
            Kind::word_left);
  EXPECT_EQ(only_key("\x1b[H"), Kind::line_start);
  EXPECT_EQ(only_key("\x1b[1~"), Kind::line_start);
  EXPECT_EQ(only_key("\x1b[8~"), Kind::line_end);
  EXPECT_EQ(only_key("\x1b[5~"), Kind::unknown);
  EXPECT_EQ(only_key("\x03"), Kind::interrupt);
  EXPECT_EQ(only_key("\x04"), Kind::end);
}

TEST(KeyReader, TextIsWholeCharacters) {
  KeyReader reader;
  reader.push("a\xe6\x97");
  ASSERT_EQ(keys_of(reader).size(), 1U);
  EXPECT_TRUE(reader.is_waiting());
  reader.push("\xa5\xff");
  const std::vector<Key> keys = keys_of(reader);
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].text, "日\uFFFD");
}

TEST(KeyReader, AltWithACharacterOfSeveralBytesIsTheCharacter) {
  KeyReader reader;
  reader.push("\x1b\xc3\xa9");
  const std::vector<Key> keys = keys_of(reader);
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[1].text, "é");
}

TEST(KeyReader, APasteIsOneKeyHoweverItComes) {
  const std::string paste = "\x1b[200~a\rb\r\nc\n\td \x1b[31m \x1b[20\x03\x1b[201~x";
  for (const std::size_t size : {1U, 3U, 5U, 100U}) {
    KeyReader reader;
    std::vector<Key> keys;
    for (std::size_t at = 0; at < paste.size(); at += size) {
      reader.push(std::string_view(paste).substr(at, size));
      for (Key& key : keys_of(reader)) keys.push_back(std::move(key));
    }
    ASSERT_EQ(keys.size(), 2U) << size;
    EXPECT_EQ(keys[0].kind, Kind::paste);
    EXPECT_EQ(keys[0].text, "a\nb\nc\n\td \x1b[31m \x1b[20\x03");
    EXPECT_EQ(keys[1].text, "x");
  }
}

TEST(KeyReader, WhatNeverEndsIsTakenWhenNothingMoreComes) {
  KeyReader reader;
  reader.push("\x1b");
  EXPECT_FALSE(reader.next());
  reader.stop_waiting();
  EXPECT_EQ(reader.next()->kind, Kind::cancel);
  reader.push("\x1b[" + std::string(100, '1'));
  while (reader.next()) {
  }
  reader.push("\x03");
  EXPECT_EQ(reader.next()->kind, Kind::interrupt);
}

/// All that was pasted and all that was typed, where the bytes come in two parts with a silence
/// between.
std::pair<std::string, std::string> torn(std::string_view bytes, std::size_t at) {
  KeyReader reader;
  std::pair<std::string, std::string> texts;
  const auto take = [&] {
    for (const Key& key : keys_of(reader)) {
      if (key.kind == Kind::enter) texts.second += "<enter>";
      (key.kind == Kind::paste ? texts.first : texts.second) += key.text;
    }
  };
  reader.push(bytes.substr(0, at));
  take();
  reader.stop_waiting();
  take();
  reader.stop_waiting();
  take();
  reader.push(bytes.substr(at));
  take();
  EXPECT_FALSE(reader.in_paste());
  return texts;
}

TEST(KeyReader, APasteThatStallsIsNeverTyped) {
  const std::string paste = "\x1b[200~/bye\r\né\r/clear\r\x1b[201~x";
  for (std::size_t at = 1; at < paste.size(); ++at) {
    EXPECT_EQ(torn(paste, at), std::pair(std::string("/bye\né\n/clear\n"), std::string("x"))) << at;
  }
}

TEST(KeyReader, WhatHasComeOfAPasteThatStallsIsShown) {
  KeyReader reader;
  reader.push("\x1b[200~abc\x1b[2");
  EXPECT_FALSE(reader.next());
  reader.stop_waiting();
  EXPECT_EQ(reader.next()->text, "abc");
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.in_paste());
}

TEST(KeyReader, CtrlCThrowsAPasteAwayWhoseEndNeverComes) {
  KeyReader reader;
  reader.push("\x1b[200~abc\x03");  // of the paste itself
  EXPECT_FALSE(reader.next());
  reader.push("\x03");
  EXPECT_FALSE(reader.next());
  reader.stop_waiting();
  EXPECT_EQ(reader.next()->text, "abc\x03\x03");
  reader.push("\x03");
  EXPECT_EQ(reader.next()->kind, Kind::interrupt);
  reader.push("x\r");
  EXPECT_EQ(reader.next()->text, "x");
  EXPECT_EQ(reader.next()->kind, Kind::enter);
}

TEST(KeyReader, ASequenceIsNoEscapeHoweverLateItsRest) {
  KeyReader reader;
  reader.push("\x1b[");
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.in_sequence());
  reader.push("A");
  EXPECT_EQ(reader.next()->kind, Kind::up);
  reader.push("\x1b[");
  EXPECT_FALSE(reader.next());
  reader.stop_waiting();  // Alt-[, perhaps
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.in_sequence());
  reader.push("hello\r");
  EXPECT_EQ(reader.next()->kind, Kind::unknown);
  EXPECT_EQ(reader.next()->text, "hello");
  EXPECT_EQ(reader.next()->kind, Kind::enter);
}

}  // namespace
}  // namespace pleiad::terminal
