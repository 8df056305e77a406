#include "apps/common/interrupt.h"

#include <array>
#include <csignal>

namespace pleiad::apps {
namespace {

// The one place where the language leaves no other way than a global. The signal, or 0.
volatile std::sig_atomic_t g_pressed = 0;

void on_signal(int signal) {
  if (signal != SIGINT || g_pressed == 0) g_pressed = signal;
}

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> g_previous = {};

std::size_t count_of(InterruptGuard::Signals signals) {
  return signals == InterruptGuard::Signals::ctrl_c ? 1 : kSignals.size();
}

}  // namespace

InterruptGuard::InterruptGuard(Signals signals) : signals_(signals) {
  g_pressed = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;  // no SA_RESTART: a waiting read() comes back
  for (std::size_t i = 0; i < count_of(signals); ++i) {
    ::sigaction(kSignals[i], nullptr, &g_previous[i]);
    // What nohup has ignored stays so.
    if (kSignals[i] == SIGHUP && g_previous[i].sa_handler == SIG_IGN) continue;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < count_of(signals_); ++i) {
    ::sigaction(kSignals[i], &g_previous[i], nullptr);
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
