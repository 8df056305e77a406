#include "media/helper/pipe_signal.h"

#include <ctime>

namespace pleiad::media {
namespace {

sigset_t pipe_signal_alone() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGPIPE);
  return set;
}

bool pipe_signal_is_pending() {
  sigset_t pending;
  ::sigpending(&pending);
  return ::sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

WithoutPipeSignal::WithoutPipeSignal() : was_pending_(pipe_signal_is_pending()) {
  const sigset_t set = pipe_signal_alone();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

WithoutPipeSignal::~WithoutPipeSignal() {
  if (!was_pending_ && pipe_signal_is_pending()) {
    const sigset_t set = pipe_signal_alone();
    const timespec at_once = {0, 0};
    ::sigtimedwait(&set, nullptr, &at_once);
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace pleiad::media
