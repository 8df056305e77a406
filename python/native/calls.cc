#include "calls.h"

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "errors.h"

namespace pleiad::python {
namespace {

std::atomic<int> n_calls = 0;
std::atomic<bool> ended = false;
std::atomic<std::thread::id> ended_by;

}  // namespace

Call::Call() {
  check_calls();
  ++n_calls;
}

Call::Call(Closes /*unused*/) { ++n_calls; }

Call::~Call() { --n_calls; }

void check_calls() {
  if (!ended || ended_by.load() == std::this_thread::get_id()) return;
  throw ClosedError("the program is ending");
}

void end_calls() {
  ended_by = std::this_thread::get_id();
  ended = true;
  while (n_calls > 0) {
    {
      const nanobind::gil_scoped_release release;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
}

void count_calls_anew_in_forks() {
  // Threads that were in a call are none of the child's.
  ::pthread_atfork(nullptr, nullptr, [] { n_calls = 0; });
}

}  // namespace pleiad::python
