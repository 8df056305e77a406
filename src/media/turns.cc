#include "media/turns.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace pleiad::media {
namespace {

constexpr std::chrono::milliseconds kAskEveryTurn(50);

}  // namespace

Turns::Turns(int n_at_a_time) : n_at_a_time_(n_at_a_time) {
  CHECK(n_at_a_time >= 1, "n_at_a_time {}", n_at_a_time);
}

std::optional<Turns::Turn> Turns::take(const std::function<bool()>& stop) {
  std::unique_lock lock(mutex_);
  const std::uint64_t own = n_came_++;
  waiting_.push_back(own);
  const auto is_turn = [&] { return waiting_.front() == own && n_taken_ < n_at_a_time_; };
  while (!is_turn()) {
    changed_.wait_for(lock, kAskEveryTurn, is_turn);
    if (!stop || is_turn()) continue;
    lock.unlock();
    const bool given_up = stop();
    lock.lock();
    if (!given_up) continue;
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), own));
    changed_.notify_all();
    return std::nullopt;
  }
  waiting_.pop_front();
  ++n_taken_;
  changed_.notify_all();
  return Turn(*this);
}

int Turns::n_taken() const {
  const std::lock_guard lock(mutex_);
  return n_taken_;
}

void Turns::give_back() {
  {
    const std::lock_guard lock(mutex_);
    --n_taken_;
  }
  changed_.notify_all();
}

}  // namespace pleiad::media
