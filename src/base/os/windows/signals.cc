#include "base/os/signals.h"

#include <windows.h>

#include <atomic>
#include <csignal>

namespace pleiad::os {
namespace {

using Handler = void (*)(int);

// The system calls a function that is told nothing but what happened. Who catches it now:
std::atomic<Handler> g_interrupt = nullptr;
std::atomic<Handler> g_ending = nullptr;

/// True: it was taken; false: the next one is asked, and the last of them ends the program.
BOOL WINAPI on_event(DWORD event) {
  const bool is_interrupt = event == CTRL_C_EVENT;
  const Handler handler = is_interrupt ? g_interrupt : g_ending;
  if (handler == nullptr) return FALSE;
  handler(is_interrupt ? SIGINT : SIGTERM);
  if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) return TRUE;
  // The window is closed, the user leaves: the program ends as soon as this returns, seconds later
  // in any case.
  ::Sleep(INFINITE);
  return TRUE;
}

}  // namespace

struct CaughtSignals::State {
  Handler interrupt = nullptr;
  Handler ending = nullptr;
};

CaughtSignals::CaughtSignals(Which which, Handler handler) : state_(std::make_unique<State>()) {
  state_->interrupt = g_interrupt.exchange(handler);
  state_->ending = g_ending;
  if (which == Which::ending) g_ending = handler;
  ::SetConsoleCtrlHandler(on_event, TRUE);
}

CaughtSignals::~CaughtSignals() {
  ::SetConsoleCtrlHandler(on_event, FALSE);  // each was added once more
  g_ending = state_->ending;
  g_interrupt = state_->interrupt;
}

void survive_size_limits() {}  // there is no signal

}  // namespace pleiad::os
