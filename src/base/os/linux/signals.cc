#include "base/os/signals.h"

#include <array>
#include <csignal>
#include <cstddef>

namespace pleiad::os {
namespace {
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
}  // namespace

struct CaughtSignals::State {
  std::size_t n_signals = 0;  // the first of them
  std::array<struct sigaction, kSignals.size()> previous = {};
};

CaughtSignals::CaughtSignals(Which which, void (*handler)(int))
    : state_(std::make_unique<State>()) {
  state_->n_signals = which == Which::interrupt ? 1 : kSignals.size();
  struct sigaction action = {};
  action.sa_handler = handler;  // no SA_RESTART: a waiting read() comes back
  for (std::size_t i = 0; i < state_->n_signals; ++i) {
    struct sigaction& previous = state_->previous[i];
    ::sigaction(kSignals[i], nullptr, &previous);
    // What nohup has ignored stays so.
    if (kSignals[i] == SIGHUP && previous.sa_handler == SIG_IGN) continue;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

CaughtSignals::~CaughtSignals() {
  for (std::size_t i = 0; i < state_->n_signals; ++i) {
    ::sigaction(kSignals[i], &state_->previous[i], nullptr);
  }
}

void survive_size_limits() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace pleiad::os
