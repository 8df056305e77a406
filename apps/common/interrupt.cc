#include "apps/common/interrupt.h"

#include <atomic>
#include <csignal>

namespace pleiad::apps {
namespace {

// The one place where the language leaves no other way than a global. The signal, or 0. Windows
// calls the handler on a thread of its own.
std::atomic<int> g_pressed = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int signal) {
  if (signal != SIGINT || g_pressed == 0) g_pressed = signal;
}

/// What is caught from now on; what came before is forgotten.
os::CaughtSignals::Which begin(InterruptGuard::Signals signals) {
  InterruptGuard::clear();
  return signals == InterruptGuard::Signals::ctrl_c ? os::CaughtSignals::Which::interrupt
                                                    : os::CaughtSignals::Which::ending;
}

}  // namespace

InterruptGuard::InterruptGuard(Signals signals) : caught_(begin(signals), on_signal) {}

bool InterruptGuard::pressed() { return g_pressed != 0; }

void InterruptGuard::throw_if_pressed() {
  if (pressed()) throw Interrupted();
}

int InterruptGuard::exit_status() {
  constexpr int kSignalled = 128;
  const int signal = g_pressed;
  return kSignalled + (signal != 0 ? signal : SIGINT);
}

bool InterruptGuard::ended() { return g_pressed != 0 && g_pressed != SIGINT; }

void InterruptGuard::clear() {
  if (!ended()) g_pressed = 0;
}

}  // namespace pleiad::apps
