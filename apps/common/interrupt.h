#pragma once

namespace pleiad::apps {

/// Ends work whose progress is told to a callback. Not an error: nothing went wrong.
struct Interrupted {};

/// While it lives, Ctrl-C does not end the program but is remembered. One at a time.
class InterruptGuard {
 public:
  /// ending: SIGTERM and SIGHUP too, for work that must not leave half a file.
  enum class Signals { ctrl_c, ending };

  explicit InterruptGuard(Signals signals = Signals::ctrl_c);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

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
  Signals signals_;
};

}  // namespace pleiad::apps
