#include "engine/constraint_preparer.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

namespace pleiad {
namespace {

/// Of a processor, by this thread: while others have it no time passes.
double thread_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

ConstraintPreparer::~ConstraintPreparer() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    waiting_.clear();
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

ConstraintPreparer::OrderPtr ConstraintPreparer::order(
    std::shared_ptr<sampling::TokenConstraint> constraint, bool is_slow) {
  auto made = std::make_shared<Order>(std::move(constraint), is_slow);
  {
    const std::lock_guard lock(mutex_);
    if (threads_.empty() && !add_thread()) {
      made->state_ = Order::State::done;
      return made;
    }
    waiting_.push_back(made);
  }
  has_work_.notify_one();
  return made;
}

std::optional<ConstraintPreparer::Outcome> ConstraintPreparer::outcome(const Order& order) const {
  const std::lock_guard lock(mutex_);
  if (order.state_ != Order::State::done) return std::nullopt;
  return Outcome{order.is_slow_, order.failure_};
}

void ConstraintPreparer::wait(std::span<const OrderPtr> orders, double seconds) {
  const auto all_done = [&] {
    return std::ranges::all_of(
        orders, [](const OrderPtr& order) { return order->state_ == Order::State::done; });
  };
  const auto is_left = [](const OrderPtr& order) {
    return order->state_ == Order::State::waits && !order->is_slow_;
  };
  const std::chrono::duration<double> most(seconds);
  std::unique_lock lock(mutex_);
  while (!is_done_.wait_for(lock, most, all_done)) {
    for (const OrderPtr& order : in_work_) order->is_late_ = true;
    if (!std::ranges::any_of(orders, is_left) || !all_are_late() || !add_thread()) return;
  }
}

void ConstraintPreparer::wait_for(const Order& order) {
  std::unique_lock lock(mutex_);
  is_done_.wait(lock, [&] { return order.state_ == Order::State::done; });
}

void ConstraintPreparer::wait_for_any(std::span<const OrderPtr> orders, double seconds) {
  std::unique_lock lock(mutex_);
  is_done_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    return std::ranges::any_of(
        orders, [](const OrderPtr& order) { return order->state_ == Order::State::done; });
  });
}

/// False where there are enough, or the system gives no more.
bool ConstraintPreparer::add_thread() {
  if (threads_.size() >= kMostThreads) return false;
  try {
    threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

/// No thread is free, nor will be soon.
bool ConstraintPreparer::all_are_late() const {
  return in_work_.size() == threads_.size() &&
         std::ranges::all_of(in_work_, [](const OrderPtr& order) { return order->is_late_; });
}

/// The first one that may begin; null: there is none. Orders of which whoever gave them holds no
/// more go to `abandoned`.
ConstraintPreparer::OrderPtr ConstraintPreparer::take(std::vector<OrderPtr>& abandoned) {
  std::erase_if(waiting_, [&](OrderPtr& order) {
    if (order.use_count() > 1) return false;
    abandoned.push_back(std::move(order));
    return true;
  });
  const auto may_begin = [&](const OrderPtr& order) { return !order->is_slow_ || n_slow_ == 0; };
  const auto found = std::ranges::find_if(waiting_, may_begin);
  if (found == waiting_.end()) return nullptr;
  OrderPtr order = std::move(*found);
  waiting_.erase(found);
  return order;
}

void ConstraintPreparer::run() {
  for (;;) {
    OrderPtr order;
    std::vector<OrderPtr> abandoned;  // whose constraints go outside of the lock
    {
      std::unique_lock lock(mutex_);
      has_work_.wait(lock, [&] { return ends_ || (order = take(abandoned)) != nullptr; });
      if (!order) return;
      order->state_ = Order::State::in_work;
      in_work_.push_back(order);
      if (order->is_slow_) ++n_slow_;
    }
    abandoned.clear();
    const double begun = thread_seconds();
    std::exception_ptr failure;
    try {
      order->constraint_->prepare();
    } catch (...) {
      failure = std::current_exception();
    }
    const bool is_slow = thread_seconds() - begun > kSlowSeconds;
    // Whoever has ended has left it here alone: it goes outside of the lock.
    std::shared_ptr<sampling::TokenConstraint> constraint;
    {
      const std::lock_guard lock(mutex_);
      constraint = std::move(order->constraint_);
      std::erase(in_work_, order);
      if (order->is_slow_) --n_slow_;
      order->is_slow_ = is_slow;
      order->failure_ = std::move(failure);
      order->state_ = Order::State::done;
    }
    is_done_.notify_all();
    has_work_.notify_all();  // a slow one that had to wait may begin
  }
}

}  // namespace pleiad
