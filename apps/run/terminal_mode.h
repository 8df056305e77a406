#pragma once

#include <termios.h>

#include <string>
#include <utility>

namespace pleiad::apps {

/// How the terminal of the standard input treats what is typed, while this lives; as it was
/// afterwards. Asks it to mark pastes. Whoever stops the program (Ctrl-Z, a shell that gets the
/// terminal then) may change both: they are set again when it goes on. One at a time.
class TerminalMode {
 public:
  TerminalMode();
  ~TerminalMode();
  TerminalMode(const TerminalMode&) = delete;
  TerminalMode& operator=(const TerminalMode&) = delete;

  /// Every key is ours, pastes are marked. What came while the terminal made lines is typed().
  void edit();
  /// Somebody has made it a terminal of lines again: a shell that had the program in its
  /// background.
  bool makes_lines() const;
  /// The same, where somebody has changed it; asks for no marks.
  void still_edit();
  /// While a reply comes: Ctrl-C and Ctrl-Z are signals again, keys wait unseen for the next
  /// edit().
  void watch();
  /// As it was, while the program is stopped; comes back when it goes on, editing.
  void suspend();

  /// What was typed while the terminal made lines of it, before this lived say; Enter as a key.
  /// Once.
  std::string typed() { return std::exchange(typed_, {}); }

 private:
  void read_typed();
  void restore() noexcept;

  termios before_ = {};
  std::string typed_;
};

}  // namespace pleiad::apps
