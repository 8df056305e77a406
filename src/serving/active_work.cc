#include "serving/active_work.h"

#include <algorithm>
#include <chrono>

namespace pleiad::serving {

ActiveWork::Entry::Entry(ActiveWork& work) : work_(work) { work_.entries_.push_back(this); }

ActiveWork::Entry::~Entry() {
  const std::lock_guard guard(work_.mutex_);
  std::erase(work_.entries_, this);
  work_.changed_.notify_all();
}

void ActiveWork::Entry::set_ticket(const std::shared_ptr<Ticket>& ticket) {
  const std::lock_guard guard(work_.mutex_);
  ticket_ = ticket;
}

std::unique_ptr<ActiveWork::Entry> ActiveWork::begin() {
  const std::lock_guard guard(mutex_);
  if (closed_) return nullptr;
  return std::make_unique<Entry>(*this);
}

void ActiveWork::close() {
  const std::lock_guard guard(mutex_);
  closed_ = true;
}

bool ActiveWork::wait_idle(double seconds) {
  std::unique_lock lock(mutex_);
  const auto idle = [&] { return entries_.empty(); };
  constexpr double kLong = 1e8;  // years, that chrono can count
  return changed_.wait_for(lock, std::chrono::duration<double>(std::clamp(seconds, 0.0, kLong)),
                           idle);
}

void ActiveWork::cancel_all() {
  std::vector<std::shared_ptr<Ticket>> tickets;
  {
    const std::lock_guard guard(mutex_);
    for (const Entry* entry : entries_) {
      if (auto ticket = entry->ticket_.lock()) tickets.push_back(std::move(ticket));
    }
  }
  for (const auto& ticket : tickets) ticket->cancel();
}

}  // namespace pleiad::serving
