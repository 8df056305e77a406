#pragma once

#include <termios.h>

#include <string>

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

  /// Every key is ours, pastes are marked.
  void edit();
  /// The same, where somebody has changed it; asks for no marks.
  void still_edit();
  /// While a reply comes: Ctrl-C and Ctrl-Z are signals again, keys wait unseen for the next
  /// edit().
  void watch();
  /// As it was, while the program is stopped; comes back when it goes on, editing.
  void suspend();

  /// What was typed before this lived, Enter as a key.
  const std::string& typed_before() const { return typed_before_; }

 private:
  void read_typed();
  void restore() noexcept;

  termios before_ = {};
  std::string typed_before_;
};

}  // namespace pleiad::apps
