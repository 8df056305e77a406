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
///
/// What is pasted is never taken for keys, however late its parts come: a paste ends with its mark
/// alone. Where that was lost, Ctrl-C, alone and after a silence, throws the paste away.
class KeyReader {
 public:
  void push(std::string_view bytes);
  /// The next key that is whole.
  std::optional<Key> next();
  /// Bytes wait for others that are not late yet: the beginning of a sequence or of a character, a
  /// paste without its end.
  bool is_waiting() const { return (!pending_.empty() || in_paste_) && !gives_up_; }
  bool in_paste() const { return in_paste_; }
  /// What waits is the beginning of a sequence, not Escape alone.
  bool in_sequence() const;
  /// Nothing came for a while: what waits is taken as it is (Escape alone). The beginning of a mark
  /// that a paste begins with goes on waiting, and is forgotten where something else follows. What
  /// has come of a paste is given out, and it goes on.
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
  bool was_silent_ = false;   // before the last bytes
  bool lone_escape_ = false;  // was the last key, given up on
  std::size_t late_ = 0;      // bytes of pending_, a mark's beginning whose rest is late
};

}  // namespace pleiad::terminal
