#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "sampling/token_constraint.h"

namespace pleiad {

/// Has constraints work out what they allow on threads of its own, while the model computes the
/// logits that it is for, so that no reply of a step waits for the form of another one. One thread
/// does it, which begins with the first constraint; another one is begun where all of them are at
/// work that takes long. What was slow the last time has one of them at a time, so that it does not
/// keep the others from what is quick; and an order that nobody holds any more is not begun.
class ConstraintPreparer {
 public:
  static constexpr std::size_t kMostThreads = 4;
  /// What takes more of a processor is slow (`was_slow`): some thousand times the usual.
  static constexpr double kSlowSeconds = 0.005;

  /// One constraint's work at one place. All but the constraint is the preparer's.
  class Order {
   public:
    Order(std::shared_ptr<sampling::TokenConstraint> constraint, bool is_slow)
        : constraint_(std::move(constraint)), is_slow_(is_slow) {}

   private:
    friend class ConstraintPreparer;
    enum class State : std::uint8_t { waits, in_work, done };

    std::shared_ptr<sampling::TokenConstraint> constraint_;  // lives as long as the work
    bool is_slow_;
    State state_ = State::waits;
    bool is_late_ = false;  // somebody waited for it in vain
    std::exception_ptr failure_;
  };
  using OrderPtr = std::shared_ptr<Order>;

  /// What became of an order that is done.
  struct Outcome {
    bool was_slow = false;
    std::exception_ptr failure;  // what the work threw, if it did
  };

  ConstraintPreparer() = default;
  /// Waits for what is in work, and drops the rest.
  ~ConstraintPreparer();
  ConstraintPreparer(const ConstraintPreparer&) = delete;
  ConstraintPreparer& operator=(const ConstraintPreparer&) = delete;

  /// The work begins as soon as a thread is free; until it is done nobody else may use the
  /// constraint. `is_slow`: it was slow at its last place. Without a thread the order is done at
  /// once and nothing is prepared: the constraint works out what it allows where it is asked.
  OrderPtr order(std::shared_ptr<sampling::TokenConstraint> constraint, bool is_slow);

  /// Empty while it is not done.
  std::optional<Outcome> outcome(const Order& order) const;

  /// Until all are done, for `seconds` at most. Where all threads are at what takes longer the rest
  /// gets a thread and as much time again.
  void wait(std::span<const OrderPtr> orders, double seconds);
  /// Until it is done, however long that takes.
  void wait_for(const Order& order);
  /// Until one of them is done, for `seconds` at most.
  void wait_for_any(std::span<const OrderPtr> orders, double seconds);

 private:
  void run();
  OrderPtr take(std::vector<OrderPtr>& abandoned);
  bool add_thread();
  bool all_are_late() const;

  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_done_;
  std::deque<OrderPtr> waiting_;   // guarded by mutex_, as what follows
  std::vector<OrderPtr> in_work_;  // one a busy thread
  std::size_t n_slow_ = 0;         // of those in work
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pleiad
