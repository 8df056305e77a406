#include "apps/common/interrupt.h"

#include <csignal>

namespace pleiad::apps {
namespace {

// The one place where the language leaves no other way than a global.
volatile std::sig_atomic_t g_pressed = 0;

void on_signal(int) { g_pressed = 1; }

struct sigaction g_previous = {};

}  // namespace

InterruptGuard::InterruptGuard() {
  g_pressed = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;  // no SA_RESTART: a waiting read() comes back
  ::sigaction(SIGINT, &action, &g_previous);
}

InterruptGuard::~InterruptGuard() { ::sigaction(SIGINT, &g_previous, nullptr); }

bool InterruptGuard::pressed() { return g_pressed != 0; }

void InterruptGuard::clear() { g_pressed = 0; }

}  // namespace pleiad::apps
