#include "apps/serve/signals.h"

#include <cerrno>
#include <cmath>

namespace pleiad::apps {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

StopSignals::~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int StopSignals::wait() const {
  int signal = 0;
  sigwait(&signals_, &signal);
  return signal;
}

int StopSignals::wait_for(double seconds) const {
  const double whole = std::floor(seconds);
  const timespec time = {static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  const int signal = sigtimedwait(&signals_, nullptr, &time);
  return signal < 0 ? 0 : signal;
}

}  // namespace pleiad::apps
