#include "apps/common/interrupt.h"

namespace pleiad::apps {
namespace {

// The one place where the language leaves no other way than a global. The signal, or 0.
volatile std::sig_atomic_t g_pressed = 0;

void on_signal(int signal) {
  if (signal != SIGINT || g_pressed == 0) g_pressed = signal;
}

}  // namespace

InterruptGuard::InterruptGuard(Signals signals)
    : n_signals_(signals == Signals::ctrl_c ? 1 : kSignals.size()) {
  clear();
  struct sigaction action = {};
  action.sa_handler = on_signal;  // no SA_RESTART: a waiting read() comes back
  for (std::size_t i = 0; i < n_signals_; ++i) {
    ::sigaction(kSignals[i], nullptr, &previous_[i]);
    // What nohup has ignored stays so.
    if (kSignals[i] == SIGHUP && previous_[i].sa_handler == SIG_IGN) continue;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < n_signals_; ++i) {
    ::sigaction(kSignals[i], &previous_[i], nullptr);
  }
}

bool InterruptGuard::pressed() { return g_pressed != 0; }

void InterruptGuard::throw_if_pressed() {
  if (pressed()) throw Interrupted();
}

int InterruptGuard::exit_status() {
  constexpr int kSignalled = 128;
  return kSignalled + (g_pressed != 0 ? g_pressed : SIGINT);
}

bool InterruptGuard::ended() { return g_pressed != 0 && g_pressed != SIGINT; }

void InterruptGuard::clear() {
  if (!ended()) g_pressed = 0;
}

}  // namespace pleiad::apps
