#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "sampling/token_constraint.h"

namespace pleiad {

/// Has constraints work out what they allow on a thread of its own, while the model computes the
/// logits that it is for: so no reply of a step waits for the form of another one. The thread
/// begins with the first constraint.
class ConstraintPreparer {
 public:
  ConstraintPreparer() = default;
  ~ConstraintPreparer();
  ConstraintPreparer(const ConstraintPreparer&) = delete;
  ConstraintPreparer& operator=(const ConstraintPreparer&) = delete;

  /// The constraints are prepared from its begin on, and all of them are at its end. Meanwhile
  /// nobody else uses them. Without a thread none is prepared: each works out what it allows where
  /// it is asked.
  class Turn {
   public:
    Turn(ConstraintPreparer& preparer, std::vector<sampling::TokenConstraint*> constraints);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    ConstraintPreparer& preparer_;
    bool has_work_ = false;
  };

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<sampling::TokenConstraint*> work_;  // guarded by mutex_, as what follows
  bool is_busy_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace pleiad
