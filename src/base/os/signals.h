#pragma once

#include <cstdint>
#include <memory>

namespace pleiad::os {

/// While it lives, what asks the program to end calls a handler instead. What is caught meanwhile
/// may be caught again, and is the handler's before when that one has gone.
class CaughtSignals {
 public:
  enum class Which : std::uint8_t {
    interrupt,  // Ctrl-C: SIGINT
    ending,     // SIGTERM and SIGHUP too: the terminal was closed, the machine stops
  };
  /// `handler` gets the signal's number, on any thread, amid whatever that was at: it may store a
  /// number and no more. Waiting reads of a terminal come back.
  CaughtSignals(Which which, void (*handler)(int signal));
  ~CaughtSignals();
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// From now on a write that goes beyond the largest size that files may have is an error like that
/// of a full disk, and does not end the program.
void survive_size_limits();

}  // namespace pleiad::os
