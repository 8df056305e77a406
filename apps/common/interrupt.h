#pragma once

namespace pleiad::apps {

/// While it lives, Ctrl-C does not end the program but is remembered.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Ctrl-C was pressed since the last clear().
  static bool pressed();
  static void clear();
};

}  // namespace pleiad::apps
