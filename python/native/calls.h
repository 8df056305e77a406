#pragma once

namespace pleiad::python {

/// A call from Python into the engine, for as long as it lasts. Python ends a thread that asks for
/// the GIL once the interpreter is being finalized, which C++ does not survive: end_calls() sees
/// to it that none of them does. Needs the GIL.
class Call {
 public:
  /// Throws ClosedError after end_calls().
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 protected:
  /// For what closes something, which may be done to the last.
  struct Closes {};
  explicit Call(Closes);
};

class ClosingCall : public Call {
 public:
  ClosingCall() : Call(Closes{}) {}
};

/// Throws ClosedError after end_calls(), but on the thread that it was called on. Needs no GIL.
void check_calls();

/// At the end of the program: calls of other threads end with ClosedError, those under way and
/// those to come. Waits for them without the GIL, which the caller has; throws what a signal
/// raises.
void end_calls();

/// Once: a process that is forked begins without calls.
void count_calls_anew_in_forks();

}  // namespace pleiad::python
