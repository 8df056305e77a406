#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "terminal/terminal_bytes.h"

namespace pleiad::terminal {

/// What a user did at a terminal.
struct Key {
  enum class Kind : std::uint8_t {
    text,   // typed
    paste,  // pasted, whatever it holds
    enter,
    newline,  // Alt-Enter, Ctrl-J, and Shift-Enter where a terminal tells it apart
    tab,
    backspace,
    erase,  // the character behind the cursor
    erase_word_before,
    erase_word_behind,
    kill_line_before,
    kill_line_behind,
    yank,
    transpose,
    undo,
    left,
    right,
    word_left,
    word_right,
    up,
    down,
    line_start,
    line_end,
    history_older,
    history_newer,
    history_first,
    history_last,
    search,
    clear_screen,
    cancel,     // Escape, Ctrl-G
    interrupt,  // Ctrl-C
    end,        // Ctrl-D
    suspend,    // Ctrl-Z
    unknown,    // one that means nothing here
  };
  Kind kind = Kind::unknown;
  std::string text = {};  // of text and paste, well-formed UTF-8; lines end with \n
};

/// Asks a terminal to mark what is pasted (bracketed paste), or not to any more.
TerminalBytes mark_pastes(bool on);

/// Bytes of a terminal without its line discipline -> keys, wherever the bytes are cut. Understands
/// the sequences of xterm and its descendants, the Linux console's, and bracketed paste.
class KeyReader {
 public:
  void push(std::string_view bytes);
  /// The next key that is whole.
  std::optional<Key> next();
  /// Bytes wait for others: the beginning of a sequence or of a character, a paste without its end.
  bool is_waiting() const { return !pending_.empty() || in_paste_; }
  bool in_paste() const { return in_paste_; }
  /// Nothing came for a while: what waits is taken as it is (Escape alone; a paste whose end never
  /// came).
  void stop_waiting();

 private:
  std::optional<Key> next_in_paste();
  std::optional<Key> next_sequence();
  std::optional<Key> next_text();
  Key take(std::size_t length, Key::Kind kind);

  std::string pending_;
  std::size_t taken_ = 0;  // bytes of pending_ that keys were made of
  std::string pasted_;
  bool in_paste_ = false;
  bool gives_up_ = false;
};

}  // namespace pleiad::terminal
