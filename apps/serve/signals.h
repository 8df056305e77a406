#pragma once

#include <csignal>

namespace pleiad::apps {

/// SIGTERM and SIGINT as something to wait for. To be made before any thread starts:
/// threads inherit that the signals do not interrupt them.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The next one: SIGTERM or SIGINT.
  int wait() const;
  /// The same, but gives up after so many seconds with 0.
  int wait_for(double seconds) const;

 private:
  sigset_t signals_;
  sigset_t before_;
};

}  // namespace pleiad::apps
