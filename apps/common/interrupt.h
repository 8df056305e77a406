#pragma once

#include <cstdint>

#include "base/os/signals.h"

namespace pleiad::apps {

/// Ends work whose progress is told to a callback. Not an error: nothing went wrong.
struct Interrupted {};

/// While it lives, Ctrl-C does not end the program but is remembered. What is done meanwhile may
/// have one of its own.
class InterruptGuard {
 public:
  /// ending: SIGTERM and SIGHUP too, for work that must not leave half a file.
  enum class Signals : std::uint8_t { ctrl_c, ending };

  /// Forgets Ctrl-C as clear() does.
  explicit InterruptGuard(Signals signals = Signals::ctrl_c);

  /// Ctrl-C was pressed, or such a signal came, since the last clear().
  static bool pressed();
  /// Throws Interrupted where pressed().
  static void throw_if_pressed();
  /// What a shell tells of a program that the last one ended: 130 of Ctrl-C.
  static int exit_status();
  /// SIGTERM or SIGHUP came: the program is to end.
  static bool ended();
  /// Ctrl-C is forgotten.
  static void clear();

 private:
  os::CaughtSignals caught_;
};

}  // namespace pleiad::apps
