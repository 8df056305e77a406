#include "engine/constraint_preparer.h"

#include <exception>
#include <system_error>
#include <utility>

namespace pleiad {

ConstraintPreparer::~ConstraintPreparer() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

ConstraintPreparer::Turn::Turn(ConstraintPreparer& preparer,
                               std::vector<sampling::TokenConstraint*> constraints)
    : preparer_(preparer) {
  if (constraints.empty()) return;
  {
    const std::lock_guard lock(preparer_.mutex_);
    try {
      if (!preparer_.thread_.joinable()) {
        preparer_.thread_ = std::thread([&made = preparer_] { made.run(); });
      }
    } catch (const std::system_error&) {
      return;  // the system gives no more threads
    }
    preparer_.work_ = std::move(constraints);
    preparer_.is_busy_ = has_work_ = true;
  }
  preparer_.changed_.notify_all();
}

ConstraintPreparer::Turn::~Turn() {
  if (!has_work_) return;
  std::unique_lock lock(preparer_.mutex_);
  preparer_.changed_.wait(lock, [&] { return !preparer_.is_busy_; });
}

void ConstraintPreparer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_busy_ || ends_; });
    if (!is_busy_) return;
    const std::vector<sampling::TokenConstraint*> work = std::exchange(work_, {});
    lock.unlock();
    for (sampling::TokenConstraint* constraint : work) {
      try {
        constraint->prepare();
      } catch (const std::exception&) {
        // It fails again where it is asked what it allows, and the reply with it.
      }
    }
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace pleiad
