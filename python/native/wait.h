#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/clock.h"
#include "calls.h"

namespace pleiad::python {

/// Seconds after which Ctrl-C is heard of.
inline constexpr double kLookSeconds = 0.05;

/// Throws what a signal's handler raised: KeyboardInterrupt after Ctrl-C; and ClosedError once the
/// program ends. Needs the GIL; other threads than the main one hear of no signal.
inline void check_signals() {
  check_calls();
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

/// Waits without the GIL, which the caller has, until `ready`, asked with the mutex held. Throws as
/// check_signals() does.
template <typename Ready>
void wait_until(std::mutex& mutex, std::condition_variable& changed, const Ready& ready) {
  for (;;) {
    bool is_ready = false;
    {
      const nanobind::gil_scoped_release release;
      std::unique_lock lock(mutex);
      is_ready = changed.wait_for(lock, std::chrono::duration<double>(kLookSeconds), ready);
    }
    if (is_ready) return;
    check_signals();
  }
}

/// For work that runs without the GIL and tells of itself now and then: look() takes it for a
/// moment to hear of signals.
class SignalWatch {
 public:
  /// Throws as check_signals() does.
  void look() {
    check_calls();  // before the GIL is asked for
    const double now = monotonic_seconds();
    if (now - looked_ < kLookSeconds) return;
    looked_ = now;
    const nanobind::gil_scoped_acquire acquire;
    check_signals();
  }

 private:
  double looked_ = monotonic_seconds();
};

}  // namespace pleiad::python
