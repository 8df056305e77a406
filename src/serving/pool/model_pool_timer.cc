#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "serving/pool/model_pool.h"
#include "serving/pool/pool_slot.h"

namespace pleiad::serving {

void ModelPool::wake() { timer_changed_.notify_all(); }

void ModelPool::run_timer() {
  Lock lock(mutex_);
  while (!stopping_) {
    if (fire_due(lock)) continue;
    // Clocks are compared again when it wakes; an hour keeps infinity out of chrono.
    const double seconds = std::clamp(next_due() - now(), 0.0, 3600.0);
    timer_changed_.wait_for(lock, std::chrono::duration<double>(seconds));
  }
}

double ModelPool::next_due() const {
  double due = std::numeric_limits<double>::infinity();
  for (const SlotPtr& slot : slots_) {
    if (slot->idle()) due = std::min(due, slot->expires());
  }
  for (const auto& load : loads_) {
    for (const Waiter& waiter : load->waiters) due = std::min(due, waiter.deadline);
  }
  return due;
}

/// Does one thing that is due; false when nothing is. Lets go of the lock meanwhile.
bool ModelPool::fire_due(Lock& lock) {
  for (const SlotPtr& slot : slots_) {
    if (!slot->idle() || (!slot->retired && slot->expires() > now())) continue;
    destroy(lock, SlotPtr(slot));
    return true;
  }
  for (const auto& load : loads_) {
    const auto late = std::find_if(load->waiters.begin(), load->waiters.end(),
                                   [&](const Waiter& waiter) { return waiter.deadline <= now(); });
    if (late == load->waiters.end()) continue;
    const Ready ready = std::move(late->ready);
    load->waiters.erase(late);
    --n_waiting_;
    loads_changed_.notify_all();
    lock.unlock();
    try {
      ready(ServiceError{ServiceError::Code::deadline,
                         "the request took too long: its model was not loaded in time",
                         {}});
    } catch (...) {  // its own affair
    }
    lock.lock();
    return true;
  }
  return false;
}

}  // namespace pleiad::serving
